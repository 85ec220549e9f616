/** The attributes of a site, which may be thousands, indexed once for all conditions of a request. */
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import type { ErrorProblem } from '../../kernel/errors.js';
import { NameHints } from '../../kernel/nearest-name.js';

export class KnownAttributes {
  readonly hints: NameHints<AttributeDefinition>;
  readonly #byId = new Map<string, AttributeDefinition>();
  #byKey: ReadonlyMap<string, AttributeDefinition> | undefined;

  constructor(readonly all: readonly AttributeDefinition[]) {
    this.hints = new NameHints(
      () => all,
      ({ name }) => name,
    );
    for (const attribute of all) this.#byId.set(attribute.id, attribute);
  }

  byId(id: string): AttributeDefinition | undefined {
    return this.#byId.get(id);
  }

  byName(name: string): AttributeDefinition | undefined {
    this.#byKey ??= new Map(this.all.map((attribute) => [attributeKey(attribute.name), attribute]));
    return this.#byKey.get(attributeKey(name));
  }
}

export function unknownAttribute(path: string, named: string, hints: NameHints<AttributeDefinition>): ErrorProblem {
  const nearest = hints.nearest(named);
  const hint =
    nearest === undefined ? 'GET /api-product/v1/product/attribute lists them' : `did you mean "${nearest.name}"?`;
  return { path, code: 'ATTRIBUTE_NOT_FOUND', message: `there is no attribute "${named.slice(0, 60)}": ${hint}` };
}
