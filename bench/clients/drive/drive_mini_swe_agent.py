"""mini-swe-agent: an agent whose one tool is the shell, and that ends with a command."""
import yaml
from minisweagent import package_dir
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.litellm_model import LitellmModel
from minisweagent.models.litellm_response_model import LitellmResponseModel
from tools import API, MODEL, PROMPTS, URL

settings = yaml.safe_load((package_dir / "config/mini.yaml").read_text())
kind = LitellmResponseModel if API == "responses" else LitellmModel
model = kind(model_name=f"openai/{MODEL}", cost_tracking="ignore_errors", model_kwargs={"api_base": f"{URL}/v1", "api_key": "dummy"},
             observation_template=settings["model"]["observation_template"])
agent = DefaultAgent(model, LocalEnvironment(), **{key: settings["agent"][key] for key in ("system_template", "instance_template")})
print(agent.run(PROMPTS[0])["submission"])
