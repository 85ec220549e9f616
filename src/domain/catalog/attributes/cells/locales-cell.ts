/**
 * The `Locales` cell: `fr-FR: Couleur; de-DE: Farbe`, with `\;` and `\\` for a semicolon and a backslash in a name.
 */
import type { AttributeLocale } from '../../model/attribute-definition.js';

/** Undefined when a part has no colon. */
export function localesFromText(text: string): AttributeLocale[] | undefined {
  const parts = (text.match(/(?:[^;\\]|\\[\s\S]|\\$)+/g) ?? []).filter((part) => part.trim() !== '');
  const locales = parts.map((part) => {
    const colon = part.indexOf(':');
    const name = part.slice(colon + 1).replace(/\\([;\\])/g, '$1');
    return colon < 0 ? undefined : { locale: part.slice(0, colon).trim(), name: name.trim() };
  });
  const complete = locales.filter((locale) => locale !== undefined);
  return complete.length === locales.length ? complete : undefined;
}
