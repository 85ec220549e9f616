/** Proposals for files in memory, and catalogs of a few attributes. */
import type { schemas } from '@longshore/client';
import type { AttributeDefinition } from '../../../../src/domain/catalog/model/attribute-definition.js';
import type { DefinitionCategory, SiteDefinitions } from '../../../../src/domain/catalog/site-definitions.js';
import { inspectSource } from '../../../../src/domain/inspection/inspect-source.js';
import { type StoredInspection, storedInspectionSchema } from '../../../../src/domain/inspection/model/inspection.js';
import type { ProfileFileType } from '../../../../src/domain/profiles/model/profile.js';
import { type Proposal, type ProposalLine, proposalSchema } from '../../../../src/domain/proposals/model/proposal.js';
import { propose } from '../../../../src/domain/proposals/propose.js';
import { type FixtureOptions, sourceInput } from '../formats/source-fixture.js';

export type GivenAttribute = Partial<AttributeDefinition> & Pick<AttributeDefinition, 'name'>;

export interface Catalog {
  readonly attributes?: readonly GivenAttribute[];
  /** Path → names of its attributes; parents first. */
  readonly categories?: Readonly<Record<string, readonly string[]>>;
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly fileType?: ProfileFileType;
  /** What somebody has said that columns of the file become. */
  readonly chosen?: Readonly<Record<string, string | null>>;
}

export function definitionsOf({ attributes = [], categories = {} }: Catalog): SiteDefinitions {
  const defined = attributes.map((given, position): AttributeDefinition => {
    return { id: `a${position}`, type: 'TEXT', position, validation: {}, ...given };
  });
  const idOf = (name: string) => defined.find((each) => each.name === name)?.id ?? name;
  const root: DefinitionCategory = {
    ...{ nodeId: 1, id: 'root', parentNodeId: null, name: 'PRIMARY', active: true, leaf: false, attributes: [] },
  };
  const paths = Object.keys(categories);
  const made = paths.map((path, index): DefinitionCategory => {
    const names = path.split('->');
    const parent = paths.indexOf(names.slice(0, -1).join('->'));
    return {
      nodeId: index + 2,
      id: `c${index}`,
      parentNodeId: parent < 0 ? 1 : parent + 2,
      name: names.at(-1) ?? '',
      active: true,
      leaf: !paths.some((other) => other.startsWith(`${path}->`)),
      attributes: (categories[path] ?? []).map((name) => ({
        attributeId: idOf(name),
        mandatory: false,
        inherited: false,
      })),
    };
  });
  return { version: 1, attributes: defined, mappings: {}, categories: [root, ...made] };
}

export async function inspectionOf(file: string | Buffer, options: FixtureOptions = {}): Promise<StoredInspection> {
  return storedInspectionSchema.parse(await inspectSource(sourceInput(Buffer.from(file), options)));
}

/** The proposal for a file, checked against the schema of the API. */
export async function proposalFor(
  file: string | Buffer,
  catalog: Catalog = {},
  options: FixtureOptions = {},
): Promise<Proposal> {
  const { fileType = 'ITEM_IMPORT', aliases = {}, chosen } = catalog;
  const inspection = await inspectionOf(file, options);
  const input = { inspection, definitions: definitionsOf(catalog), aliases, fileType, chosen };
  return proposalSchema.parse({ ...(await propose(input, async () => {})), profiles: [] });
}

export function lineOf({ lines }: Proposal, column: string): ProposalLine {
  const line = lines.find(({ from }) => from === column);
  if (line === undefined) throw new Error(`there is no line for ${column}, only for ${lines.map(({ from }) => from)}`);
  return line;
}

/** A file with so many rows; the cells of each are made by its number. */
export function csv(
  header: readonly string[],
  rows: number,
  cellsOf: (row: number) => readonly (string | number)[],
): string {
  const lines = Array.from({ length: rows }, (_, row) => cellsOf(row).join(';'));
  return `${[header.join(';'), ...lines].join('\n')}\n`;
}

/** The profile as the client gets it. */
export function profileOf({ profile }: Proposal): schemas.ProposedImportProfile {
  return profile as schemas.ProposedImportProfile;
}
