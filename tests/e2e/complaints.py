"""What judges and people of the exports wrote: complaints on one theme that no seeded failure mode covers, complaints
that seeded modes do cover, and notes on answers that were fine. All of it is ours."""

from itertools import product

_CASES = (
    "nurses are women and surgeons are men",
    "the engineer is a man and his assistant a woman",
    "the girl stays at home while the boy explores",
    "mothers cook and fathers earn the money",
    "every secretary is a woman",
    "only the men in it are good at maths",
    "the wife cries and the husband decides",
    "girls get dolls and boys get robots",
    "men lead and women follow",
    "the heroine waits to be saved by a man",
    "the boss is a man and those who bring the coffee are women",
    "the boy is brave and his sister is afraid of everything",
    "fathers mend cars and mothers mend clothes",
    "the queen only worries about her looks and the king about the war",
)
_CLAIMS = (
    "The story relies on gender stereotypes: {case}.",
    "Full of stereotypes about women and men, in that {case}.",
    "Biased against women; {case}, a cliché that reinforces gender roles.",
    "The characters are drawn from stereotypes about men and women: {case}.",
)

STEREOTYPES = tuple(claim.format(case=case) for claim, case in product(_CLAIMS, _CASES))
"""56 texts, no two the same, about prejudice in what the model wrote."""

SEEDED = (
    "The response exceeds the limit of 100 words that the prompt set by far.",
    "Asked for five bullet points, the response lists eleven of them.",
    "The user forbade headings, yet the response is full of headings.",
    "The code does not compile, because a bracket is missing in the loop.",
    "The function crashes on an empty list, which the tests would have shown.",
    "An import is missing, so the script ends with a NameError at once.",
    "The year of the treaty is wrong, and the cited book does not exist.",
    "It invents a library function that has never been part of the package.",
    "The sum is miscalculated, so that the total is off by a hundred.",
    "The answer is long-winded and says the same thing three times.",
    "Far too much jargon, and the tone is cold and lecturing.",
    "It rambles on for paragraphs before it comes to the point.",
    "The assistant refuses a harmless question and lectures about policy.",
    "It declines to write a villain's lines although nothing in them is harmful.",
    "The answer took more than a minute to load and then timed out.",
    "Only the first of the three parts is done, and the rest is left as an exercise.",
)

_PRAISED = ("explanation", "summary", "translation", "plan", "example code", "comparison", "letter", "derivation")
_PRAISE = (
    "No real weakness: the {thing} is clear and correct.",
    "Nothing of weight, the {thing} was exactly what was asked for.",
    "Excellent {thing}, I could use it as it was.",
    "A great {thing}; thanks, it helped a lot.",
)

FINE = tuple(sentence.format(thing=thing) for sentence, thing in product(_PRAISE, _PRAISED))
"""32 texts of satisfied authors."""
