/** The names of a site's attributes in other languages: templates use them as titles, and imports read them. */
import { attributeKey } from '../../kernel/attribute-key.js';
import { type AttributeDefinition, isReservedName } from '../model/attribute-definition.js';

export class LocalizedNames {
  /** Key of a name → the attributes that have it in some language. */
  readonly #byKey = new Map<string, AttributeDefinition[]>();
  readonly #names = new Set<string>();

  constructor(definitions: readonly AttributeDefinition[]) {
    for (const definition of definitions) {
      this.#names.add(attributeKey(definition.name));
      for (const { name } of definition.locales ?? []) this.#add(attributeKey(name), definition);
    }
  }

  /**
   * The attributes that have the name in some language; several when the name is ambiguous. The own name of an
   * attribute and the name of a fixed column are never read as a name in another language.
   */
  find(name: string): readonly AttributeDefinition[] {
    const key = attributeKey(name);
    if (this.#names.has(key) || isReservedName(name) || name.trim().startsWith('_')) return [];
    return this.#byKey.get(key) ?? [];
  }

  /**
   * The title of the attribute's column in a locale: its name in that locale if an import can read it, else its own
   * name.
   */
  titleOf(definition: AttributeDefinition, locale: string): string {
    const name = nameIn(definition, locale);
    return name !== undefined && this.find(name).length === 1 ? name : definition.name;
  }

  #add(key: string, definition: AttributeDefinition): void {
    const others = this.#byKey.get(key);
    if (others === undefined) this.#byKey.set(key, [definition]);
    else if (!others.includes(definition)) others.push(definition);
  }
}

/**
 * The name for exactly this locale, else for another locale of its language: `de` and `de-AT` use the name for `de-DE`.
 */
function nameIn({ locales = [] }: AttributeDefinition, locale: string): string | undefined {
  const wanted = canonical(locale);
  const [language] = wanted.split('-');
  const exact = locales.find((one) => canonical(one.locale) === wanted);
  return (exact ?? locales.find((one) => canonical(one.locale).split('-')[0] === language))?.name;
}

function canonical(locale: string): string {
  return locale.replaceAll('_', '-').toLowerCase();
}
