"""A lexer for pycparser's parser: one token per line, each text classified once.

Sources repeat a few hundred words many thousand times. pycparser's own lexer says what
each of them is; the parser then gets its tokens from a dictionary.
"""

from __future__ import annotations

from functools import lru_cache

from pycparser.c_lexer import CLexer, Token

_Classified = tuple[list[Token], tuple[str, int] | None]  # tokens, or a message and its column


class LineLexer(CLexer):
    """Given to CParser as its `lexer`."""

    _attributes: bool  # `[[...]]` goes over many lines, and is seldom: read without help
    _lines: list[str]
    _waiting: list[Token]
    _next: int

    def input(self, text: str, filename: str = "") -> None:
        self._attributes = "\n[\n[\n" in text
        super().input(text if self._attributes else "", filename)
        self._waiting, self._next = [], 0
        self._lines = text.split("\n")

    def token(self) -> Token | None:
        if self._attributes:
            return super().token()
        while not self._waiting:
            if self._next == len(self._lines):
                return None
            line = self._lines[self._next]
            self._next += 1
            tokens, failure = _classified(line)
            if failure is not None:
                self.error_func(failure[0], self._next, failure[1])
            number, name = self._next, self.filename
            if len(tokens) == 1:
                return Token(tokens[0].type, tokens[0].value, number, tokens[0].column, name)
            self._waiting = [Token(t.type, t.value, number, t.column, name) for t in tokens]
            self._waiting.reverse()
        return self._waiting.pop()


@lru_cache(maxsize=1 << 14)
def _classified(line: str) -> _Classified:
    failures: list[tuple[str, int]] = []
    lexer = CLexer(lambda message, _, column: failures.append((message, column)))
    lexer.input(line)
    tokens: list[Token] = []
    while not failures and (token := lexer.token()) is not None:
        tokens.append(token)
    return tokens, failures[0] if failures else None
