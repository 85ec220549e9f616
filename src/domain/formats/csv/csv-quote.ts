/** The quotes of CSV texts. */

/** What surrounds quoted cells; empty: no cell is quoted, and every quote belongs to the text of its cell. */
export type CsvQuote = '"' | "'" | '';

/** The byte of a quote; -1 when no cell is quoted, which equals no byte. */
export function quoteByteOf(quote: CsvQuote): number {
  return quote === '' ? -1 : quote.charCodeAt(0);
}
