/** The contents of one row about a category, in any format, and the schema of such a row in JSON. */
import { z } from 'zod';
import type { CategoryTree } from '../../../../db/models/category.js';
import { withoutAddedFields } from '../../kernel/added-columns.js';
import { isStorable } from '../../kernel/characters.js';
import { isId } from '../../kernel/identifier.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { describeJson, quoted, ValueProblem } from '../../kernel/value-problem.js';
import { plainNumbers } from '../../kernel/written-number.js';
import type { AttributeReference } from '../attributes/read-attributes.js';
import { booleanFromText } from '../types/boolean.js';
import { textOfCell } from '../types/cell-text.js';
import type { KnownFields } from '../types/explain-issues.js';
import { explainIssues, fieldInvalid } from '../types/explain-issues.js';
import { integerFromText } from '../types/integer.js';
import type { CategoryColumn, CategoryColumns } from './category-cells.js';
import { itemAttributesFromText } from './category-cells.js';
import { categoryKey, MAX_CATEGORY_NAME_CHARACTERS, NODE_ID, PRIMARY_ROOT_NAME, parsePath } from './category-path.js';
import { MAX_CATEGORY_DEPTH } from './category-rules.js';
import type { CategoryReference } from './find-category.js';

/** Which category a row is about. Names are trimmed and in NFC. */
export type CategoryPlace =
  /** The names below `PRIMARY`, or from the root of an alternate tree. An empty list is `PRIMARY` itself. */
  | { readonly tree: CategoryTree; readonly names: readonly string[] }
  | { readonly parent: CategoryReference; readonly name: string };

interface GivenAssignment {
  readonly attribute: AttributeReference;
  readonly mandatory: boolean;
}

/** Undefined fields are left as they are. */
export interface CategoryInput {
  readonly place: CategoryPlace;
  readonly order?: number | undefined;
  readonly active?: boolean | undefined;
  /** Replaces the category's own attributes, in this order. */
  readonly attributes?: readonly GivenAssignment[] | undefined;
  /** What is wrong with other fields of the row, which is why it cannot be applied; its place is known all the same. */
  readonly problems?: readonly RowProblem[] | undefined;
}

const assignment = z.strictObject({
  attributeId: z.string().nullish(),
  name: z.string().nullish().describe('Instead of its id'),
  mandatory: z.boolean().nullish().describe('Items stay DRAFT without a value (default false)'),
});

/**
 * An element as it is sent; `null` is the default of a field. The parent has none: with null from a variable that is not
 * set, the category would become a top category.
 */
export const categoryElementSchema = z.strictObject({
  name: z.string().nullish().describe('The name alone; at most 255 characters'),
  parentNodeName: z
    .string()
    .optional()
    .describe(
      'Path of the parent, such as `Storage->Disk`; the parent may come later in the same array. A category without a parent is a top category',
    ),
  parentNodeId: z
    .union([z.int().positive(), z.string()])
    .optional()
    .describe('Node id of the parent, instead of its path'),
  parentId: z.string().optional().describe('Id of the parent, instead of its path'),
  path: z.string().nullish().describe('The whole path, instead of the name and the parent'),
  type: z
    .enum(['PRIMARY', 'ALTERNATE'])
    .nullish()
    .describe('The tree; PRIMARY by default. A parent by id or node id decides it'),
  order: z.int32().nullish().describe('Position among its siblings; 0 by default'),
  active: z.boolean().nullish().describe('true by default'),
  itemAttributes: z
    .array(assignment)
    .max(10_000)
    .nullish()
    .describe(
      "Replaces the category's own attributes; null or an empty list removes them all. Without this field they stay as they are",
    ),
});

// Reads a row of a category file.

const MAX_ORDER = 2_147_483_647;
/** How many lists of attributes are cached: most rows of a file repeat a few. */
const CACHED_LISTS = 1_000;

/**
 * Returns a reader for the rows of one file. The reader returns the row as an input, or all its problems. An empty cell
 * leaves a field as it is, `NULL` sets its default; the path is a key, in which only arrows are escaped.
 */
export function categoryRowReader(
  columns: CategoryColumns,
): (cells: readonly string[]) => CategoryInput | RowProblem[] {
  const lists = new Map<string, GivenAssignment[]>();
  const listOf = (text: string): GivenAssignment[] => {
    const known = lists.get(text);
    if (known !== undefined) return known;
    const list = assignmentsFromText(text);
    if (lists.size < CACHED_LISTS) lists.set(text, list);
    return list;
  };
  return (cells) => parseRow(columns, cells, listOf);
}

function parseRow(
  columns: CategoryColumns,
  cells: readonly string[],
  listOf: (text: string) => GivenAssignment[],
): CategoryInput | RowProblem[] {
  const problems: RowProblem[] = [];
  const cell = (column: CategoryColumn): string => cells[columns.indexOf(column)] ?? '';
  /** Undefined when the cell is empty or invalid. */
  const read = <T>(column: CategoryColumn, standard: T, parse: (text: string) => T | undefined, expected: string) => {
    const text = cell(column).trim() === '' ? undefined : textOfCell(cell(column).trim());
    if (text === undefined) return undefined;
    if (text === null) return standard;
    const value = parse(text);
    if (value === undefined) {
      problems.push(new ValueProblem('FIELD_INVALID', `${column}: ${quoted(text)} ${expected}`, text).at(column));
    }
    return value;
  };
  const tree = read('Type', 'PRIMARY', treeFromText, 'is neither PRIMARY nor ALTERNATE') ?? 'PRIMARY';
  const order = read('Order', 0, orderFromText, `is not a whole number from ${-MAX_ORDER - 1} to ${MAX_ORDER}`);
  const active = read('Active', true, booleanFromText, 'is neither true nor false');
  const attributes = read('Item Attributes', NO_ASSIGNMENTS, listOf, 'is not a list of attributes');
  const place = placeOf(cell('Category Path'), tree);
  if ('code' in place) return [place, ...problems];
  if (problems.some(({ column }) => column === TYPE)) return problems;
  return problems.length > 0 ? { place, order, active, attributes, problems } : { place, order, active, attributes };
}

const NO_ASSIGNMENTS: GivenAssignment[] = [];
/** It says which tree a path is in. */
const TYPE: CategoryColumn = 'Type';

function placeOf(path: string, tree: CategoryTree): ReturnType<typeof placeOfPath> {
  if (path.trim() !== '') return placeOfPath(path, tree, 'Category Path');
  const message = 'the row names no category: write its path, such as Storage->Disk';
  return { code: 'NAME_REQUIRED', column: 'Category Path', message };
}

function treeFromText(text: string): CategoryTree | undefined {
  const tree = text.toUpperCase();
  return tree === 'PRIMARY' || tree === 'ALTERNATE' ? tree : undefined;
}

function orderFromText(text: string): number | undefined {
  const order = integerFromText(text);
  return order !== null && order >= -MAX_ORDER - 1 && order <= MAX_ORDER ? order : undefined;
}

function assignmentsFromText(text: string): GivenAssignment[] {
  return itemAttributesFromText(text).map(({ name, mandatory }) => ({ attribute: { name }, mandatory }));
}

// Reads the place of a category from the paths and names in rows.

const PRIMARY_KEY = categoryKey(PRIMARY_ROOT_NAME);

/**
 * The place that a path names. In the primary tree, a first name `PRIMARY` is the root and may be left out, so a top
 * category of that name is written `PRIMARY->PRIMARY`.
 * @param column the column or field that holds the path
 */
function placeOfPath(
  text: string,
  tree: CategoryTree,
  column: string,
): Extract<CategoryPlace, { tree: CategoryTree }> | RowProblem {
  const given = parsePath(text);
  const names: string[] = [];
  for (const name of given) {
    const checked = checkCategoryName(name, column);
    if (typeof checked === 'object') return checked;
    names.push(checked);
  }
  if (tree === 'PRIMARY' && categoryKey(names[0] ?? '') === PRIMARY_KEY) names.shift();
  const levels = tree === 'PRIMARY' ? names.length : names.length - 1;
  if (levels <= MAX_CATEGORY_DEPTH) return { tree, names };
  const message = `the path has ${levels} levels below the root; at most ${MAX_CATEGORY_DEPTH} are allowed`;
  return new ValueProblem('CATEGORY_TOO_DEEP', message, text).at(column);
}

/** The name as it is stored, trimmed and in NFC, or what is wrong with it. */
function checkCategoryName(given: string, column: string): string | RowProblem {
  const name = given.trim().normalize('NFC');
  if (name === '') {
    const message = 'a category has no name: write one between all arrows of the path';
    return { code: 'NAME_REQUIRED', column, message };
  }
  if (!isStorable(name)) {
    const message = `the name ${quoted(name)} holds a NUL character or half of a surrogate pair: remove it`;
    return new ValueProblem('INVALID_TEXT', message, given).at(column);
  }
  const characters = name.length <= MAX_CATEGORY_NAME_CHARACTERS ? name.length : [...name].length;
  if (characters <= MAX_CATEGORY_NAME_CHARACTERS) return name;
  const message = `the name ${quoted(name)} has ${characters} characters; at most ${MAX_CATEGORY_NAME_CHARACTERS} are allowed`;
  return new ValueProblem('FIELD_INVALID', message, given).at(column);
}

// Reads one element of a bulk category request, or of a JSON file of categories.

type CategoryElement = z.infer<typeof categoryElementSchema>;

const KNOWN_FIELDS: KnownFields = {
  '': Object.keys(categoryElementSchema.shape),
  itemAttributes: ['attributeId', 'name', 'mandatory'],
};

/**
 * Returns the element as an input, or all its problems, whose `column` names the field.
 * @param json parsed JSON; it may contain WrittenNumbers
 */
export function parseCategoryInput(json: unknown): CategoryInput | RowProblem[] {
  const plain = plainNumbers(json);
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    const message = `the element is ${describeJson(plain)}; each must be an object such as {"name":"Disk","parentNodeName":"Storage"}`;
    return [{ code: 'ROW_NOT_OBJECT', column: null, message }];
  }
  const element = withoutAddedFields(plain);
  const parsed = categoryElementSchema.safeParse(element);
  if (!parsed.success) {
    const issues = explainIssues(parsed.error.issues, json, KNOWN_FIELDS);
    // A field that is not known may be meant for the place.
    const isMisspelt = parsed.error.issues.some(({ code, path }) => code === 'unrecognized_keys' && path.length === 0);
    const placed = placeSchema.safeParse(element);
    if (isMisspelt || !placed.success) return issues;
    const misplaced: RowProblem[] = [];
    const place = placeOfElement(placed.data, misplaced);
    if (place === undefined || misplaced.length > 0) return [...misplaced, ...issues];
    const listed = listSchema.safeParse(element);
    const attributes = listed.success ? assignmentsOf(listed.data.itemAttributes, issues) : undefined;
    return { place, attributes, problems: issues };
  }
  const problems: RowProblem[] = [];
  const place = placeOfElement(parsed.data, problems);
  const isPlaced = place !== undefined && problems.length === 0;
  const attributes = assignmentsOf(parsed.data.itemAttributes, problems);
  if (!isPlaced) return problems;
  const order = orDefault(parsed.data.order, 0);
  const active = orDefault(parsed.data.active, true);
  return problems.length > 0 ? { place, order, active, attributes, problems } : { place, order, active, attributes };
}

/** The fields that say which category an element is about. */
const placeSchema = z.object({
  name: categoryElementSchema.shape.name,
  path: categoryElementSchema.shape.path,
  parentNodeName: categoryElementSchema.shape.parentNodeName,
  parentNodeId: categoryElementSchema.shape.parentNodeId,
  parentId: categoryElementSchema.shape.parentId,
  type: categoryElementSchema.shape.type,
});
type PlaceFields = z.infer<typeof placeSchema>;
const listSchema = z.object({ itemAttributes: categoryElementSchema.shape.itemAttributes });

/** Undefined leaves a field as it is; null sets its default. */
function orDefault<T>(given: T | null | undefined, standard: T): T | undefined {
  return given === null ? standard : given;
}

function placeOfElement(element: PlaceFields, problems: RowProblem[]): CategoryPlace | undefined {
  const { path, name, parentNodeName, type } = element;
  const tree = type ?? 'PRIMARY';
  const note = <T extends object>(result: T | RowProblem): T | undefined => {
    if (!('code' in result)) return result;
    problems.push(result);
    return undefined;
  };
  const reference = parentReference(element, problems);
  if (given(path)) {
    if (!given(name) && !given(parentNodeName) && reference === undefined) return note(placeOfPath(path, tree, 'path'));
    problems.push(fieldInvalid('path', 'contains the name and the parent: leave out their fields', path));
    return undefined;
  }
  const own = given(name) ? checkCategoryName(name, 'name') : nameRequired();
  if (typeof own === 'object') {
    problems.push(own);
    return undefined;
  }
  if (reference !== undefined) {
    if (!given(parentNodeName)) return { parent: reference, name: own };
    problems.push(fieldInvalid('parentNodeName', 'names the parent a second time: leave one out', parentNodeName));
    return undefined;
  }
  if (!given(parentNodeName)) return { tree, names: [own] };
  const parent = note(placeOfPath(parentNodeName, tree, 'parentNodeName'));
  return parent && { tree, names: [...parent.names, own] };
}

function parentReference(
  { parentNodeId, parentId }: PlaceFields,
  problems: RowProblem[],
): CategoryReference | undefined {
  if (given(parentNodeId) && given(parentId)) {
    problems.push(fieldInvalid('parentId', 'names the parent a second time: leave one out', parentId));
  }
  const [field, reference] = given(parentNodeId) ? ['parentNodeId', parentNodeId] : ['parentId', parentId];
  if (!given(reference)) return undefined;
  const text = String(reference).toLowerCase();
  if (isId(text)) return { id: text };
  if (NODE_ID.test(text)) return { nodeId: Number(text) };
  problems.push(fieldInvalid(String(field), 'is neither a node id nor an id of 24 characters', reference));
  return undefined;
}

function assignmentsOf(
  listed: CategoryElement['itemAttributes'],
  problems: RowProblem[],
): readonly GivenAssignment[] | undefined {
  if (listed === undefined) return undefined;
  return (listed ?? []).flatMap((entry, index): GivenAssignment[] => {
    const { attributeId, name, mandatory } = entry;
    if (given(attributeId) !== given(name)) {
      const attribute = given(attributeId) ? { id: attributeId } : { name: name ?? '' };
      return [{ attribute, mandatory: mandatory ?? false }];
    }
    problems.push(fieldInvalid(`itemAttributes[${index}]`, 'must name the attribute by name or by attributeId'));
    return [];
  });
}

function nameRequired(): RowProblem {
  return { code: 'NAME_REQUIRED', column: 'name', message: 'the category has no name; every category needs one' };
}

function given<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null && value !== '';
}
