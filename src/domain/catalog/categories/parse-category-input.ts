/** Reads one element of a bulk category request, or of a JSON file of categories. */
import type { z } from 'zod';
import { isId } from '../../kernel/identifier.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { describeJson } from '../../kernel/value-problem.js';
import { explainIssues, type KnownFields } from '../attributes/explain-issues.js';
import { fieldInvalid } from '../types/field-problem.js';
import {
  type CategoryInput,
  type CategoryPlace,
  categoryElementSchema,
  type GivenAssignment,
} from './category-input.js';
import { checkCategoryName, placeOfPath } from './category-place.js';
import type { CategoryReference } from './find-category.js';

type CategoryElement = z.infer<typeof categoryElementSchema>;

const KNOWN_FIELDS: KnownFields = {
  '': Object.keys(categoryElementSchema.shape),
  itemAttributes: ['attributeId', 'name', 'mandatory'],
};
const NODE_ID = /^[1-9][0-9]{0,9}$/;

/** The element as an input, or everything that is wrong with it: `column` names the field. */
export function parseCategoryInput(element: unknown): CategoryInput | RowProblem[] {
  if (typeof element !== 'object' || element === null || Array.isArray(element)) {
    const message = `the element is ${describeJson(element)}; each must be an object such as {"name":"Disk","parentNodeName":"Storage"}`;
    return [{ code: 'ROW_NOT_OBJECT', column: null, message }];
  }
  const parsed = categoryElementSchema.safeParse(element);
  if (!parsed.success) return explainIssues(parsed.error.issues, element, KNOWN_FIELDS);
  const problems: RowProblem[] = [];
  const place = placeOfElement(parsed.data, problems);
  const attributes = assignmentsOf(parsed.data.itemAttributes, problems);
  if (place === undefined || problems.length > 0) return problems;
  return { place, order: orDefault(parsed.data.order, 0), active: orDefault(parsed.data.active, true), attributes };
}

/** Undefined: left alone; null: the default. */
function orDefault<T>(given: T | null | undefined, standard: T): T | undefined {
  return given === null ? standard : given;
}

function placeOfElement(element: CategoryElement, problems: RowProblem[]): CategoryPlace | undefined {
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
    problems.push(fieldInvalid('path', 'says all of the place: leave out name and parent', path));
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
  { parentNodeId, parentId }: CategoryElement,
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
