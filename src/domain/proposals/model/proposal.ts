/** What a proposal says: how a file would be imported, what the catalog lacks for it, and what a person has to decide. */
import { z } from 'zod';
import { attributeInputSchema } from '../../catalog/attributes/attribute-input.js';
import { VERDICTS } from '../../inspection/model/answer.js';
import { inspectionSchema } from '../../inspection/model/inspection.js';
import { PROFILE_FILE_TYPES, proposedProfileSchema } from '../../profiles/model/profile.js';

/** What a column of the file is for us. */
const ROLES = ['key', 'category', 'parent', 'image', 'attribute', 'items', 'file', 'ignored'] as const;

export type Verdict = (typeof VERDICTS)[number];

const rivalSchema = z.object({ to: z.string().nullable(), reason: z.string() });

const lineSchema = z
  .object({
    from: z
      .union([z.string(), z.array(z.string())])
      .nullable()
      .meta({
        description: 'The column of the file, or several; null: something else, such as a constant',
      }),
    to: z.string().nullable().meta({ description: 'The column of ours; null: it is ignored, or missing' }),
    as: z.enum(ROLES),
    isNew: z.boolean().meta({ description: 'Whether `missing` has the attribute, because the catalog lacks it' }),
    verdict: z.enum(VERDICTS),
    reason: z.string(),
    rivals: z.array(rivalSchema),
    samples: z.array(z.string()).meta({ description: 'The first different values of the column' }),
  })
  .meta({ id: 'ProposalLine' });
export type ProposalLine = z.output<typeof lineSchema>;

const questionSchema = z
  .object({
    column: z.string().nullable().meta({ description: 'A column of the file; null: the file as a whole' }),
    question: z.string(),
    readings: z.array(z.object({ value: z.string(), label: z.string(), row: z.int(), example: z.string() })),
  })
  .meta({ id: 'ProposalQuestion' });
export type ProposalQuestion = z.output<typeof questionSchema>;

/** What imports create on request; `createMissing` says which of it. */
const proposedMissingSchema = z
  .object({
    attributes: z.array(attributeInputSchema),
    options: z.array(z.object({ attribute: z.string(), values: z.array(z.union([z.string(), z.number()])) })),
    categories: z.array(z.string()),
    assignments: z.array(z.object({ category: z.string(), attributes: z.array(z.string()) })),
    categoriesOfDefaults: z.array(z.string()).optional().meta({
      description: 'Of `categories`, those that no cell names, but the step `default` of an answer',
    }),
  })
  .meta({ id: 'ProposedDefinitions', description: 'What the catalog lacks, as an import accepts it' });
export type ProposedMissing = z.output<typeof proposedMissingSchema>;

const fittingProfileSchema = z
  .object({
    name: z.string(),
    description: z.string().nullable().meta({
      description: 'What files a profile reads that comes with Longshore; null: it was saved',
    }),
    columns: z.int().meta({ description: 'How many columns of the file it reads' }),
  })
  .meta({ id: 'FittingProfile' });
export type FittingProfile = z.output<typeof fittingProfileSchema>;

export const proposalSchema = z
  .object({
    fileType: z.enum(PROFILE_FILE_TYPES),
    kind: inspectionSchema.shape.kind,
    profile: proposedProfileSchema,
    missing: proposedMissingSchema,
    lines: z.array(lineSchema),
    questions: z.array(questionSchema),
    profiles: z.array(fittingProfileSchema).meta({
      description:
        'Profiles whose columns the file has, those first that read most of them: `profile` proposes the import by one',
    }),
    notes: inspectionSchema.shape.format.shape.notes,
    bounds: z
      .object({ values: z.int(), characters: z.int() })
      .meta({ description: 'So many different values of a column, and characters in them, are known' }),
  })
  .meta({ id: 'ImportProposal' });
export type Proposal = z.output<typeof proposalSchema>;
/** Without what other profiles could do with the file, and what the inspection tells of its sheet. */
export type ProposedImport = Omit<Proposal, 'profiles' | 'notes'>;
