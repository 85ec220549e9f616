/** The names of a site's attributes in other languages: what templates are headed with, and imports read. */

import { attributeKey } from '../../kernel/attribute-key.js';
import { type AttributeDefinition, isReservedName } from '../attribute-definition.js';

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
   * The attributes that have the name in some language: several, where it does not say which is meant. What an attribute
   * itself or a fixed column is called means that and nothing else.
   */
  find(name: string): readonly AttributeDefinition[] {
    const key = attributeKey(name);
    if (this.#names.has(key) || isReservedName(name) || name.trim().startsWith('_')) return [];
    return this.#byKey.get(key) ?? [];
  }

  /** What heads the attribute's column for readers of a locale: its name there, where an import reads it back. */
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

/** The name of that very locale, else of another of its language: `de` and `de-AT` read what is written for `de-DE`. */
function nameIn({ locales = [] }: AttributeDefinition, locale: string): string | undefined {
  const wanted = canonical(locale);
  const [language] = wanted.split('-');
  const exact = locales.find((one) => canonical(one.locale) === wanted);
  return (exact ?? locales.find((one) => canonical(one.locale).split('-')[0] === language))?.name;
}

function canonical(locale: string): string {
  return locale.replaceAll('_', '-').toLowerCase();
}
