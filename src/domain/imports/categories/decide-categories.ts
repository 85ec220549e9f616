/** Decides what each row does to its category, parents before children, from facts that were loaded before. */
import { describeAttribute } from '../../catalog/attributes/attribute-reference.js';
import { MAX_CATEGORY_DEPTH } from '../../catalog/categories/category-rules.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { WriteMode } from '../model/import-options.js';
import type { CategoryFacts } from './category-facts.js';
import type { CategoryRowNames } from './category-row-names.js';
import type { CategoryNode, CategoryTrees, StoredAssignment, StoredCategory } from './category-trees.js';
import { assignmentText } from './category-trees.js';
import type { CategoryFields, PlacedRow } from './placed-rows.js';

export type CategoryDecision =
  | {
      readonly kind: 'create' | 'update';
      readonly node: CategoryNode;
      readonly order: number;
      readonly active: boolean;
      /** Undefined: they stay as they are. */
      readonly assignments: readonly StoredAssignment[] | undefined;
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly problems: readonly RowProblem[] };

/** The rows of an input by their index. */
type RowAt = (index: number) => PlacedRow | undefined;

/**
 * @param rowAt the rows of the input
 * @param faulty the rows that cannot be applied, whose other problems are found: index → node
 * @returns row index → decision, parents first
 */
export function decideCategories(
  trees: CategoryTrees,
  rowAt: RowAt,
  faulty: ReadonlyMap<number, CategoryNode>,
  facts: CategoryFacts,
  mode: WriteMode,
  names: CategoryRowNames,
): Map<number, CategoryDecision> {
  const decisions = new Map<number, CategoryDecision>();
  const made = new Set<CategoryNode>();
  const { primaryRoot } = trees;
  // The root of the primary tree is created with the first category below it.
  if (primaryRoot !== undefined && mode !== 'update') made.add(primaryRoot);
  for (const level of trees.levels) {
    const named = level.filter(({ winner }) => winner >= 0).sort((a, b) => a.winner - b.winner);
    for (const node of named) {
      const row = rowAt(node.winner);
      if (row === undefined) continue;
      const decision = decide(node, row, { rowAt, facts, mode, names, made });
      if (decision.kind === 'create') made.add(node);
      decisions.set(node.winner, decision);
    }
  }
  for (const [index, node] of faulty) {
    const row = rowAt(index);
    if (row === undefined) continue;
    const decision = decide(node, row, { rowAt, facts, mode, names, made });
    const others = decision.kind === 'failed' ? decision.problems : [];
    decisions.set(index, { kind: 'failed', problems: [...row.problems, ...others] });
  }
  return decisions;
}

const UNCHANGED: CategoryDecision = { kind: 'unchanged' };
const NOTHING: CategoryFields = {};

interface Deciding {
  readonly rowAt: RowAt;
  readonly facts: CategoryFacts;
  readonly mode: WriteMode;
  readonly names: CategoryRowNames;
  /** The categories that rows before this one create. */
  readonly made: ReadonlySet<CategoryNode>;
}

function decide(node: CategoryNode, winner: PlacedRow, deciding: Deciding): CategoryDecision {
  const { facts, names } = deciding;
  const { stored } = node;
  const fields = winner.fields ?? NOTHING;
  const place = placeProblem(node, winner, deciding);
  const assignments = resolveAssignments(node, fields, facts, names);
  const problems = [...(place === null ? [] : [place]), ...assignments.problems];
  if (problems.length > 0) return { kind: 'failed', problems };
  const order = fields.order ?? stored?.order ?? 0;
  const active = fields.active ?? stored?.active ?? true;
  if (stored === null) return { kind: 'create', node, order, active, assignments: assignments.resolved };
  const resolved = sameAssignments(assignments.resolved, stored) ? undefined : assignments.resolved;
  if (order === stored.order && active === stored.active && resolved === undefined) return UNCHANGED;
  return { kind: 'update', node, order, active, assignments: resolved };
}

/** Why the category cannot be created where the row puts it; null when it can be, or exists. */
function placeProblem(
  node: CategoryNode,
  { byParent }: PlacedRow,
  { rowAt, facts, mode, names, made }: Deciding,
): RowProblem | null {
  const column = byParent !== null ? names.parentReference : names.parentPath(node.depth);
  const problem = (code: RowProblem['code'], message: string): RowProblem => ({
    code,
    column,
    message,
    value: node.path,
  });
  const { parent, stored } = node;
  if (stored !== null) {
    if (mode !== 'insert') return null;
    return problem(
      'CATEGORY_EXISTS',
      'the category already exists, and an insert changes none; use upsert to change it',
    );
  }
  if (parent !== null && parent.stored === null && !made.has(parent)) {
    const failed = rowAt(parent.winner >= 0 ? parent.winner : parent.faulty)?.row;
    const message =
      failed === undefined
        ? `its parent "${parent.path}" does not exist, and no row of this input creates it`
        : `its parent "${parent.path}" does not exist: row ${failed}, which would create it, was not applied`;
    return problem('NODE_NOT_FOUND', message);
  }
  if (node.depth > MAX_CATEGORY_DEPTH) {
    return problem(
      'CATEGORY_TOO_DEEP',
      `the category would be ${node.depth} levels below the root; at most ${MAX_CATEGORY_DEPTH} are allowed`,
    );
  }
  if (mode === 'update') {
    return problem(
      'NODE_NOT_FOUND',
      'there is no such category, and an update creates none; correct the path, or use upsert',
    );
  }
  if (parent === null && node.tree === 'ALTERNATE' && node.nameKey === 'primary') {
    return problem(
      'NAME_RESERVED',
      'the name PRIMARY is reserved for the root of the primary tree; give the alternate tree another name',
    );
  }
  if (parent?.stored && facts.full.has(parent.stored.id)) {
    const message = `"${parent.path}" contains items, so it cannot have subcategories; move its items elsewhere first`;
    return problem('NODE_HOLDS_ITEMS', message);
  }
  return null;
}

function resolveAssignments(
  node: CategoryNode,
  { attributes }: CategoryFields,
  facts: CategoryFacts,
  names: CategoryRowNames,
): { resolved: StoredAssignment[] | undefined; problems: RowProblem[] } {
  if (attributes === undefined) return { resolved: undefined, problems: [] };
  if (node.tree === 'ALTERNATE') {
    // An empty list is accepted, because it is true of such a category.
    if (attributes.length === 0) return { resolved: undefined, problems: [] };
    const message = 'attributes are assigned to categories of the primary tree; leave them out';
    return { resolved: undefined, problems: [{ code: 'NODE_NOT_PRIMARY', column: names.attributes, message }] };
  }
  const resolved = new Map<string, StoredAssignment>();
  const problems: RowProblem[] = [];
  attributes.forEach(({ attribute, mandatory }, index) => {
    const column = names.attribute(index);
    const attributeId = facts.attributeId(attribute);
    if (attributeId === undefined) {
      const near = 'name' in attribute ? facts.attributeHints.nearest(attribute.name) : undefined;
      const hint = near === undefined ? 'create it first, or leave it out' : `did you mean "${near}"?`;
      const message = `there is no attribute ${describeAttribute(attribute)}: ${hint}`;
      problems.push({ code: 'ATTRIBUTE_NOT_FOUND', column, message, value: Object.values(attribute)[0] ?? '' });
    } else if (resolved.has(attributeId)) {
      const message = `attribute ${describeAttribute(attribute)} is listed twice: name it once`;
      problems.push({ code: 'FIELD_INVALID', column, message });
    } else {
      resolved.set(attributeId, { attributeId, mandatory });
    }
  });
  return { resolved: [...resolved.values()], problems };
}

function sameAssignments(wanted: readonly StoredAssignment[] | undefined, stored: StoredCategory): boolean {
  return wanted === undefined || assignmentText(wanted) === stored.assigned;
}
