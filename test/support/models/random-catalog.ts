/** Catalogs of every kind of attribute and value, as arbitraries for properties. */
import fc from 'fast-check';
import type { AttributeTypeName } from '../../../src/domain/catalog/model/attribute-definition.js';
import type { AttributeDraft } from '../../../src/domain/catalog/types/attribute-draft.js';
import { acceptedValues, EXAMPLES, exampleDefinition, type Value } from './attribute-values.js';

interface RandomItem {
  readonly sku: string;
  /** Index of its category. */
  readonly category: number;
  /** Index of the attribute → its value as JSON. */
  readonly values: Readonly<Record<string, Value | undefined>>;
  readonly isVariant: boolean;
}

export interface RandomCatalog {
  readonly attributes: readonly (AttributeDraft & { readonly name: string })[];
  /** Names of leaves under one top category, or of categories without another one above them. */
  readonly categories: readonly string[];
  /** Default: they are below a category. */
  readonly areAtTop?: boolean;
  readonly items: readonly RandomItem[];
  readonly bundles: readonly RandomBundle[];
}

interface RandomBundle {
  readonly sku: string;
  readonly category: number;
  /** Indexes of items, with how many of each. */
  readonly holds: readonly { readonly item: number; readonly quantity: number }[];
}

const AWKWARD = [
  ...[
    'NULL',
    '\\NULL',
    '\\\\NULL',
    'null',
    '\\',
    '\\x',
    '\\\\x',
    ' lead',
    'trail ',
    '007',
    '1.5',
    '1,5',
    '=1+1',
    '@x',
    '-',
  ],
  ...[
    '"',
    '""',
    'a"b',
    'line\nbreak',
    'cr\rlf\r\n',
    'tab\t',
    'a;b',
    'a|b',
    'a,b',
    "it's",
    "');--",
    '$1',
    '\\.',
    '?',
    '%s',
  ],
  ...[
    'é',
    'e\u0301',
    '😀',
    '漢字',
    '\u2028',
    '\ufeffx',
    'TRUE',
    '\u0001\u0002',
    '\u001f',
    '\u007f',
    '{}',
    '[1]',
    'x'.repeat(300),
  ],
];

const text = fc.oneof(
  fc.constantFrom(...AWKWARD),
  fc.array(fc.constantFrom(...AWKWARD), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((one) => one.isWellFormed() && !one.includes('\0')),
);
const name = fc
  .oneof(text, fc.constantFrom('Title', 'Colour', 'Größe', 'Preis (€)', 'a;b', 'x!', '1'))
  .map((one) => one.trim().normalize('NFC').replace(/^_+/, ''))
  .map((one) => one.replace(/[\p{Cc}\u2028\u2029]/gu, '').trim())
  .filter(
    (one) => one !== '' && one.length <= 100 && !/^(sku|category node|hierarchy node|parent sku|items)$/i.test(one),
  );
const wholeNumber = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constantFrom(0, -1, 1));
const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,17})(\.[0-9]{0,11}[1-9])?$/);
const decimal = fc
  .tuple(fc.boolean(), digits)
  .map(([negative, one]) => (negative && /[1-9]/.test(one) ? `-${one}` : one));
const day = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
const date = fc.oneof(
  day.map((one) => one.toISOString().slice(0, 10)),
  day.map((one) => one.toISOString()),
  day.map((one) => `${one.toISOString().slice(0, 16)}:00.000Z`),
  day.map((one) => `${one.toISOString().slice(0, 10)}T00:00:00.000Z`),
);
const FORMATS = [
  ...[
    'dd.MM.yyyy',
    'd/M/yyyy',
    'yyyyMMdd',
    "yyyy-MM-dd'T'HH:mm",
    'dd.MM.yyyy HH:mm:ss',
    'M/d/yyyy h:mm a',
    'hh a, dd MM yyyy',
  ],
  ...['yyyy-MM-dd HH:mm:ss.SSSXXX', "'NULL'dd MM yyyy", '\\yyyy-MM-dd', ' dd.MM.yyyy ', "d' o''clock 'M yyyy H"],
];

type TypedDraft = AttributeDraft & { readonly type: AttributeTypeName };

/** Attributes with fields of many values. The others come from the examples of the types. */
const varied: fc.Arbitrary<TypedDraft> = fc.oneof(
  fc.record({
    type: fc.constant('TEXT' as const),
    textSubType: fc.constantFrom('SMALL_TEXT' as const, 'TEXT_AREA' as const, 'HTML' as const),
    locales: locales(),
  }),
  fc.record({ type: fc.constant('SERIAL' as const), serialStart: fc.integer({ min: 1, max: 1000 }) }),
  fc.record({ type: fc.constant('DATETIME' as const), format: fc.constantFrom(...FORMATS) }),
  fc.record({ type: fc.constant('OPTIONS' as const), options: fc.uniqueArray(text, { minLength: 1, maxLength: 7 }) }),
);
const drafts: fc.Arbitrary<TypedDraft> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom(...EXAMPLES.map(({ name: type, example }) => ({ ...example.definition, type }))),
  },
  { weight: 1, arbitrary: varied },
);

function locales() {
  const locale = fc.record({ locale: fc.constantFrom('de-DE', 'fr', 'pt-BR'), name });
  return fc.uniqueArray(locale, { maxLength: 2, selector: (one) => one.locale });
}

const rules = fc.record({ inheritable: fc.boolean() });

const attributes = fc
  .tuple(
    fc.uniqueArray(fc.tuple(name, drafts, fc.option(text, { nil: undefined }), rules), {
      ...{ minLength: 1, maxLength: 8 },
      selector: ([one]) => keyOf(one),
    }),
    fc.boolean(),
  )
  .map(([all, withParts]) => {
    const made = all.map(([one, draft, description, validation]) => ({
      name: one,
      ...draft,
      ...(description === undefined ? {} : { description }),
      validation: { ...draft.validation, ...validation },
    }));
    return withParts
      ? made.map((one, index) => ({ ...one, ...partsOf(one.type, index === firstOf(made, one.type)) }))
      : made;
  });

/** What the first attribute of a type can be besides. */
function partsOf(type: AttributeTypeName, isFirst: boolean): { mapping?: string | string[] } {
  if (!isFirst) return {};
  if (type === 'TEXT') return { mapping: ['title', 'image'] };
  return type === 'BOOLEAN' ? { mapping: 'active' } : {};
}

function firstOf(all: readonly { readonly type: string }[], type: string): number {
  return all.findIndex((one) => one.type === type);
}

/** Values of more variety than the examples of their type have. */
const VARIED_VALUES: { readonly [K in AttributeTypeName]?: fc.Arbitrary<Value> } = {
  TEXT: text,
  BOOLEAN: fc.boolean(),
  INTEGER: wholeNumber,
  SERIAL: wholeNumber,
  DECIMAL: decimal,
  DATETIME: date,
};

function valuesOf(draft: TypedDraft): fc.Arbitrary<Value> {
  const definition = exampleDefinition(draft.type, draft);
  const variedValues = VARIED_VALUES[draft.type];
  return acceptedValues(definition, [
    ...(definition.options === undefined ? [] : [fc.constantFrom(...definition.options)]),
    ...(variedValues === undefined ? [] : [variedValues]),
  ]);
}

const sku = text.map((one) => one.trim().normalize('NFC')).filter((one) => one !== '' && one.length <= 255);

const someCategories = fc.uniqueArray(name, { minLength: 1, maxLength: 3, selector: keyOf });

export const randomCatalog: fc.Arbitrary<RandomCatalog> = fc
  .tuple(attributes, someCategories)
  .chain(([chosen, categories]) => catalogWith(chosen, categories));

/**
 * Catalogs whose attributes have these names: now and then of the type that is given, now and then of another one.
 * @param category the name of one of the categories, which have none above them
 */
export function catalogOf(
  expected: readonly (AttributeDraft & { readonly name: string; readonly type: AttributeTypeName })[],
  category: string,
): fc.Arbitrary<RandomCatalog> {
  const each = expected.map((draft) => {
    const other = drafts.map((one) => ({ ...one, name: draft.name }));
    return fc.oneof({ weight: 2, arbitrary: fc.constant(draft) }, { weight: 1, arbitrary: other });
  });
  const names = someCategories.map((some) => [
    category,
    ...some.filter((one) => keyOf(one) !== keyOf(category) && keyOf(one) !== 'primary'),
  ]);
  return fc
    .tuple(fc.tuple(...each), names)
    .chain(([chosen, categories]) => catalogWith(chosen, categories).map((made) => ({ ...made, areAtTop: true })));
}

function catalogWith(
  chosen: readonly (TypedDraft & { readonly name: string })[],
  categories: readonly string[],
): fc.Arbitrary<RandomCatalog> {
  const values = fc.record(Object.fromEntries(chosen.map((one, index) => [index, valuesOf(one)])), {
    requiredKeys: [],
  });
  const item = fc.record({ sku, category: fc.nat(categories.length - 1), values, isVariant: fc.boolean() });
  const items = fc.uniqueArray(item, { minLength: 1, maxLength: 12, selector: (one) => one.sku });
  const held = fc.record({ item: fc.nat(11), quantity: fc.integer({ min: 1, max: 1_000_000 }) });
  const bundle = fc.record({
    sku: sku.filter((one) => one.length < 250).map((one) => `${one} set`.normalize('NFC')),
    category: fc.nat(categories.length - 1),
    holds: fc.uniqueArray(held, { minLength: 1, maxLength: 4, selector: (one) => one.item }),
  });
  const bundles = fc.uniqueArray(bundle, { maxLength: 3, selector: (one) => one.sku });
  return fc.tuple(items, bundles).map(([all, sets]) => ({
    ...{ attributes: chosen, categories, items: all },
    // What is there can be held, and a SKU is of one thing.
    bundles: sets
      .map((one) => ({ ...one, holds: one.holds.filter(({ item: index }) => index < all.length) }))
      .filter((one) => one.holds.length > 0 && all.every((other) => other.sku !== one.sku)),
  }));
}

function keyOf(one: string): string {
  return one.trim().normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
