/** What the job of a file creates before its rows, because the catalog lacks it: stored with its options. */
import { z } from 'zod';

/** The kinds of definitions that an import may create. Each is asked for by itself. */
export const CREATABLE = ['attributes', 'options', 'categories', 'assignments'] as const;

export const keptCreateMissing = z.record(z.enum(CREATABLE), z.boolean()).readonly();

/** Only what is to be created, already checked. What exists when the job begins is left as it is. */
export const keptMissing = z
  .object({
    /** Elements of a bulk attribute request. */
    attributes: z.array(z.record(z.string(), z.unknown())).readonly(),
    /** Options that attributes lack. */
    options: z
      .array(z.object({ attribute: z.string(), values: z.array(z.union([z.string(), z.number()])).readonly() }))
      .readonly(),
    /** Paths in the primary tree. The parents of a category are created with it. */
    categories: z.array(z.string()).readonly(),
    /** Attributes of categories, by name. */
    assignments: z.array(z.object({ category: z.string(), attributes: z.array(z.string()).readonly() })).readonly(),
    /** Those of `categories` that a profile without a step `default` does not need. */
    categoriesOfDefaults: z.array(z.string()).readonly().optional(),
  })
  .readonly();
export type MissingDefinitions = z.output<typeof keptMissing>;

/** The reason for which a job is REJECTED whose definitions cannot be created. */
export const DEFINITIONS_NOT_CREATED = 'DEFINITIONS_NOT_CREATED';
