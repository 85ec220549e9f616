/** The tokens and marks that the tokenizer of JSON finds. */

export const TOKEN = { none: 0, text: 1, escapedText: 2, number: 3, word: 4 } as const;
export type Token = (typeof TOKEN)[keyof typeof TOKEN];

/** `cut`: the bytes end inside a text. `faultyText`: the text holds a control character, so it is not JSON. */
export const MARK = { end: 0, text: 1, escapedText: 2, faultyText: 3, open: 4, close: 5, cut: 6 } as const;
export type Mark = (typeof MARK)[keyof typeof MARK];
/** The marks that stand for a text. */
export type TextMark = typeof MARK.text | typeof MARK.escapedText | typeof MARK.faultyText | typeof MARK.cut;
