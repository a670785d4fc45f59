from askew.schema import Finding

from .items import load


def verify(data, subset=None):
    asked = load(data, subset).items
    return [Finding(i.id, "shouted", "its tones are one") for i in asked if i.question.isupper()]
