/** The names of operations and schemas, made of the words that describe them. */

/** The words of a text, each with a capital. */
export function operationWords(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words.map(capitalized).join('');
}

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
