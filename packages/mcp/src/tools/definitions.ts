/** The tool that looks at attributes and categories. */
import type { LongshoreClient, schemas } from '@longshore/client';
import { z } from 'zod';
import { known, moreText, nextOf, offsetOf, paged, pagedOutput, pageOf } from '../paging.js';
import { ToolProblem } from '../problem.js';
import { smallPage } from '../small.js';
import { defineTool } from '../tool.js';

const MOST_CHILDREN = 20;

const input = z.strictObject({
  kind: z.enum(['attributes', 'categories']),
  keyword: z.string().min(1).max(200).optional().describe('A part of the name; of attributes also of the description'),
  names: z.array(z.string().min(1)).min(1).max(50).optional().describe('Exactly these attributes'),
  nodeId: z
    .int()
    .optional()
    .describe('With kind "attributes": those of this category, with which are mandatory. With "categories": this one'),
  ...paged,
});

export const findDefinitions = defineTool({
  name: 'find_definitions',
  title: 'Find attributes and categories',
  description:
    'Lists what items may have: attributes (type, rules, options) or categories (path, node id, children), in pages. Read them before you propose values: an item only has values of attributes of its category.',
  effect: 'reads',
  input,
  output: z.object({ definitions: z.array(z.looseObject({})), count: z.int(), ...pagedOutput }),
  run: async (given, { api, signal }) => {
    const { kind, names, keyword, nodeId, limit, after } = given;
    const offset = offsetOf(after);
    if (names !== undefined && kind === 'categories') throw misplaced('names', 'kind "attributes"');
    if (nodeId !== undefined && (names ?? keyword) !== undefined)
      throw misplaced('nodeId', 'neither names nor keyword');
    const list = listing(api, given, { signal });
    const page = await smallPage<Record<string, unknown>>(limit, (wanted) => list({ offset, limit: wanted }));
    const { rows, count = rows.length } = page;
    const text = `${rows.length} of ${count} ${kind}. ${moreText(page)}`;
    return { text, data: { definitions: [...rows], count, ...nextOf(page) } };
  },
});

function misplaced(name: string, where: string): ToolProblem {
  return new ToolProblem(`"${name}" goes with ${where} only`, { code: 'INPUT_INVALID' });
}

interface Place {
  readonly offset: number;
  readonly limit: number;
}

function listing(
  api: LongshoreClient,
  { kind, keyword, names, nodeId }: z.output<typeof input>,
  call: { readonly signal: AbortSignal },
) {
  if (kind === 'categories') {
    const nodeIds = nodeId === undefined ? undefined : [nodeId];
    return async (place: Place) =>
      pageOf(await api.listCategories({ ...known({ keyword, nodeIds }), ...place }, call), shownCategory);
  }
  if (nodeId !== undefined) {
    const ofCategory = { nodeId, status: 'ASSIGNED' } as const;
    return async (place: Place) =>
      pageOf(await api.listCategoryAttributes({ ...ofCategory, ...place }, call), (one) => ({ ...one }));
  }
  return async (place: Place) =>
    pageOf(await api.listAttributes({ ...known({ keyword, names }), ...place }, call), shownAttribute);
}

function shownAttribute({ validation, locales, ...attribute }: schemas.Attribute): Record<string, unknown> {
  const { id, name, type, description, options, format } = attribute;
  const said = Object.entries({ description, options, format }).filter(([, value]) => value !== null);
  const rules = Object.entries(validation).filter(([, value]) => value !== null && value !== false);
  return {
    id,
    name,
    type,
    ...Object.fromEntries(said),
    ...(rules.length === 0 ? {} : { rules: Object.fromEntries(rules) }),
    ...(locales.length === 0 ? {} : { locales }),
  };
}

function shownCategory(category: schemas.Category): Record<string, unknown> {
  const { nodeId, name, type, active, attributes, children, breadcrumbs } = category;
  return {
    nodeId,
    name,
    path: pathOf(breadcrumbs),
    type,
    active,
    attributeCount: attributes.length,
    childCount: children.length,
    ...(children.length === 0 ? {} : { children: children.slice(0, MOST_CHILDREN) }),
  };
}

/** As items name their category, and rows of items may. */
function pathOf(breadcrumbs: schemas.Category['breadcrumbs']): string {
  return breadcrumbs.map(({ name }) => name.replaceAll('->', '\\->')).join('->');
}
