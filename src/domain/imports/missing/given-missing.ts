/** What an import may create because the catalog lacks it, as clients give it: checked like requests that create it. */
import { z } from 'zod';
import { attributeInputSchema } from '../../catalog/attributes/attribute-input.js';
import { parseAttributeInput } from '../../catalog/attributes/parse-attribute-input.js';
import { placeOfPath } from '../../catalog/categories/place-of-path.js';
import { MAX_OPTIONS } from '../../catalog/model/attribute-definition.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { quoted } from '../../kernel/value-problem.js';
import { CREATABLE, type keptCreateMissing, type MissingDefinitions } from '../kept/missing-definitions.js';
import { ITEM_FILES } from '../model/types/item-job.js';

/** A row has no more columns than this. */
const MAX_ATTRIBUTES = 2_000;
const MAX_CATEGORIES = 10_000;
const MAX_NAME = 1_000;

const flag = z.boolean().default(false);

export const createMissingSchema = z
  .strictObject({ attributes: flag, options: flag, categories: flag, assignments: flag })
  .meta({ description: 'Which of what `missing` lists the import creates before its rows. Default: nothing' });

const attributes = z
  .array(attributeInputSchema)
  .max(MAX_ATTRIBUTES)
  .default([])
  .check(({ value, issues }) => {
    const seen = new Set<string>();
    for (const [index, element] of value.entries()) {
      const refuse = (field: string | null, message: string) =>
        issues.push({ code: 'custom', input: element, path: field === null ? [index] : [index, field], message });
      if (element.action !== undefined && element.action !== 'CREATE') {
        refuse('action', 'must be CREATE or left out: an import creates what is missing, and changes nothing');
        continue;
      }
      const input = parseAttributeInput(element);
      if (Array.isArray(input)) {
        for (const { column, message } of input) refuse(column, message);
        continue;
      }
      const key = attributeKey(input.name ?? '');
      if (seen.has(key)) refuse('name', `${quoted(input.name ?? '')} is listed twice: list each attribute once`);
      seen.add(key);
    }
  })
  .meta({ description: 'As POST …/attribute/bulk takes them' });

const path = z
  .string()
  .check(({ value, issues }) => {
    const place = placeOfPath(value, 'PRIMARY', 'path');
    if ('code' in place) issues.push({ code: 'custom', input: value, message: place.message });
  })
  .meta({ description: 'A path in the primary tree, such as `Storage->Disk`' });
const name = z.string().min(1, 'is empty').max(MAX_NAME);

export const missingSchema = z
  .strictObject({
    attributes,
    options: z
      .array(
        z.strictObject({
          attribute: name,
          values: z.array(z.union([name, z.number()])).max(MAX_OPTIONS),
        }),
      )
      .max(MAX_ATTRIBUTES)
      .default([])
      .meta({ description: 'Options that attributes of the type OPTIONS lack' }),
    categories: z.array(path).max(MAX_CATEGORIES).default([]).meta({
      description: 'Paths in the primary tree. The parents of a category are created with it',
    }),
    assignments: z
      .array(z.strictObject({ category: path, attributes: z.array(name).max(MAX_ATTRIBUTES) }))
      .max(MAX_CATEGORIES)
      .default([])
      .meta({ description: 'Attributes, by name, that categories are to have' }),
    categoriesOfDefaults: z.array(path).max(MAX_CATEGORIES).optional().meta({
      description:
        'Of `categories`, those that only a step `default` of the profile names: without such a step they are not created',
    }),
  })
  .meta({ id: 'MissingDefinitions', description: 'What the catalog lacks, as the proposal of a file lists it' });

/** The two, whatever `missing` lists. */
export interface NamedMissing {
  readonly createMissing?: z.output<typeof keptCreateMissing> | undefined;
  readonly missing?: unknown;
}

interface GivenMissing {
  readonly createMissing?: z.output<typeof createMissingSchema> | undefined;
  readonly missing?: z.output<typeof missingSchema> | undefined;
}

/** What is wrong with the two together, and with them for this type of file; undefined when nothing is. */
export function missingProblem(fileType: string, { createMissing, missing }: NamedMissing): string | undefined {
  if (createMissing === undefined || !CREATABLE.some((kind) => createMissing[kind])) return undefined;
  if (!(ITEM_FILES as readonly string[]).includes(fileType)) {
    return `is for files of items and bundles, and this one is ${fileType}: leave it out`;
  }
  if (missing !== undefined) return undefined;
  return 'says what may be created, and `missing` does not say what: send the `missing` of the proposal, or your own';
}

/** The options that store what is to be created; none when nothing is. */
export function optionsOfMissing({ createMissing, missing }: GivenMissing) {
  if (createMissing === undefined || missing === undefined) return {};
  if (!CREATABLE.some((kind) => createMissing[kind])) return {};
  const { categoriesOfDefaults } = missing;
  const chosen: MissingDefinitions = {
    ...(categoriesOfDefaults === undefined ? {} : { categoriesOfDefaults }),
    attributes: createMissing.attributes ? missing.attributes : [],
    options: createMissing.options ? missing.options : [],
    categories: createMissing.categories ? missing.categories : [],
    assignments: createMissing.assignments ? missing.assignments : [],
  };
  return { createMissing, missing: chosen };
}
