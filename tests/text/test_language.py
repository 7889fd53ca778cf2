"""Languages of comments are told apart, and what is too short or no language at all is undetermined."""

import pytest

from text.language import UNDETERMINED, language_of

COMMENTS = {
    "ar": "الإجابة خاطئة تمامًا ولم تجب على سؤالي على الإطلاق",
    "cs": "Odpověď je úplně špatně a vůbec neodpovídá na mou otázku.",
    "de": "Die Antwort ist leider völlig falsch und geht an meiner Frage vorbei.",
    "el": "Η απάντηση είναι εντελώς λάθος και δεν απαντά στην ερώτησή μου.",
    "en": "The answer is completely wrong and misses what I asked.",
    "es": "La respuesta es totalmente incorrecta y no contesta a mi pregunta.",
    "fi": "Vastaus on täysin väärin eikä vastaa lainkaan kysymykseeni.",
    "fr": "La réponse est complètement fausse et ne répond pas à ma question.",
    "he": "התשובה שגויה לחלוטין ואינה עונה על השאלה שלי",
    "hi": "उत्तर पूरी तरह से गलत है और मेरे प्रश्न का उत्तर नहीं देता",
    "hu": "A válasz teljesen rossz, és egyáltalán nem felel a kérdésemre.",
    "it": "La risposta è completamente sbagliata e non risponde alla mia domanda.",
    "ja": "答えは完全に間違っていて、私の質問に答えていません。",
    "ko": "답변이 완전히 틀렸고 내 질문에 전혀 답하지 않습니다.",
    "nl": "Het antwoord is helemaal fout en gaat niet in op mijn vraag.",
    "pl": "Odpowiedź jest całkowicie błędna i nie odpowiada na moje pytanie.",
    "ru": "Ответ совершенно неправильный и не отвечает на мой вопрос.",
    "sv": "Svaret är helt fel och besvarar inte alls min fråga.",
    "tr": "Cevap tamamen yanlış ve soruma hiç yanıt vermiyor.",
    "uk": "Відповідь цілком неправильна і зовсім не відповідає на моє запитання.",
}


@pytest.mark.parametrize("language", COMMENTS)
def test_twenty_languages_are_told_apart(language: str) -> None:
    assert language_of(COMMENTS[language]) == language


@pytest.mark.parametrize("text", ["", " ", "a", "ok", "12345", "👍👍🎉", "?!", "x = y[0] += 1;", "\ud83d"])
def test_what_is_too_short_or_no_language_is_undetermined(text: str) -> None:
    assert language_of(text) == UNDETERMINED


def test_a_megabyte_is_read_at_its_beginning() -> None:
    assert language_of("The answer is wrong and it took far too long. " * 23_000) == "en"
