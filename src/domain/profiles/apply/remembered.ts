/** Remembers what was made of texts that come again and again, as words, paths and options do. */

const MOST_TEXTS = 2_000;
const MOST_CHARACTERS = 200;
/** After so many texts it is known whether they repeat. */
const JUDGED_AFTER = 4_096;

/** The same function, which converts equal texts once as long as texts repeat. */
export function remembered(convert: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  let asked = 0;
  let isUseful = true;
  return (text) => {
    if (!isUseful) return convert(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    asked += 1;
    // Here only texts that were new are counted: if there are too many of them, remembering them costs more than it saves.
    if (asked > JUDGED_AFTER) {
      isUseful = false;
      known.clear();
    }
    const made = convert(text);
    if (known.size < MOST_TEXTS && text.length <= MOST_CHARACTERS) known.set(text, made);
    return made;
  };
}
