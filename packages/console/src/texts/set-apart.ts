/** Keeps names of tenants from turning around what is beside them in a text. */

/** Letters from right to left, and signs that turn around what follows them. */
const TURNS = /[\u0590-\u08FF\u200E\u200F\u202A-\u202E\u2066-\u2069\uFB1D-\uFDFF\uFE70-\uFEFF]/;

/** A message that names values: what turns text around in one of them would turn the rest of the message. */
export function withoutTurns(message: string): string {
  return message.replace(/[\u202A-\u202E\u2066-\u2069]/g, '');
}

/** A name beside others in one text, which it does not turn around. Where it has an element of its own, that is a `<bdi>`. */
export function setApart(name: string): string {
  if (!TURNS.test(name)) return name;
  let open = 0;
  // A sign that ends what the name has not begun would end the place that is set apart for it.
  const balanced = name.replace(/[\u2066-\u2069]/g, (sign) => {
    if (sign === '\u2069' && open === 0) return '';
    open += sign === '\u2069' ? -1 : 1;
    return sign;
  });
  return `\u2068${balanced}${'\u2069'.repeat(open + 1)}`;
}
