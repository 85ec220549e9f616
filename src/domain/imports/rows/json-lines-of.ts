/** The lines of the files of rows that a job makes. */

/** How many characters are written at once. */
const PIECE_CHARACTERS = 64 * 1024;

/** @returns a line of JSON for each row, many at once */
export async function* jsonLinesOf(rows: AsyncIterable<object>): AsyncGenerator<string> {
  let piece = '';
  for await (const row of rows) {
    piece += `${JSON.stringify(row)}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
