"""The one error of the tools."""


class ToolError(ValueError):
    """What a tool cannot do, said to the model as the result of its call."""
