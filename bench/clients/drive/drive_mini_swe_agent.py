"""mini-swe-agent: an agent whose one tool is the shell, and that ends with a command."""
import os

import yaml
from minisweagent import package_dir
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.litellm_model import LitellmModel
from minisweagent.models.litellm_response_model import LitellmResponseModel
from minisweagent.models.litellm_textbased_model import LitellmTextbasedModel
from tools import API, MODEL, PROMPTS, URL

text = os.environ["WIRE_WAY"] == "text"  # without tools: the model writes commands as text, and outputs are messages of the user
settings = yaml.safe_load((package_dir / f"config/mini{'_textbased' if text else ''}.yaml").read_text())
kind = LitellmTextbasedModel if text else LitellmResponseModel if API == "responses" else LitellmModel
model = kind(model_name=f"openai/{MODEL}", cost_tracking="ignore_errors", model_kwargs={"api_base": f"{URL}/v1", "api_key": "dummy"},
             observation_template=settings["model"]["observation_template"])
agent = DefaultAgent(model, LocalEnvironment(), **{key: settings["agent"][key] for key in ("system_template", "instance_template")})
print(agent.run(PROMPTS[0])["submission"])
