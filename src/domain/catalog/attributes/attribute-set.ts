/** A site's attributes by id and by name, which a bulk request updates element by element. */
import { attributeKey } from '../../kernel/attribute-key.js';
import { NameHints } from '../../kernel/nearest-name.js';
import type { AttributeDefinition } from '../model/attribute-definition.js';

export class AttributeSet {
  readonly #byId = new Map<string, AttributeDefinition>();
  readonly #byKey = new Map<string, AttributeDefinition>();
  #lastPosition = 0;
  readonly #hints = new NameHints(
    () => [...this.definitions()],
    ({ name }) => name,
  );

  constructor(definitions: Iterable<AttributeDefinition>) {
    for (const definition of definitions) this.put(definition);
  }

  byId(id: string): AttributeDefinition | undefined {
    return this.#byId.get(id);
  }

  /** The attribute with the name, ignoring case. */
  byName(name: string): AttributeDefinition | undefined {
    return this.#byKey.get(attributeKey(name));
  }

  /** The attribute that was probably meant by a name that none has. */
  nearestTo(name: string): AttributeDefinition | undefined {
    const nearest = this.#hints.nearest(name);
    return nearest === undefined ? undefined : this.#byId.get(nearest.id);
  }

  /** The position of a new attribute: after all others, including those deleted meanwhile. */
  nextPosition(): number {
    return this.#lastPosition + 1;
  }

  /** Adds a definition, or replaces the one with its id. */
  put(definition: AttributeDefinition): void {
    this.remove(definition.id);
    this.#byId.set(definition.id, definition);
    this.#byKey.set(attributeKey(definition.name), definition);
    this.#lastPosition = Math.max(this.#lastPosition, definition.position);
  }

  remove(id: string): void {
    const definition = this.#byId.get(id);
    if (definition === undefined) return;
    this.#byId.delete(id);
    this.#byKey.delete(attributeKey(definition.name));
  }

  /** The definitions in no particular order. */
  definitions(): AttributeDefinition[] {
    return [...this.#byId.values()];
  }
}
