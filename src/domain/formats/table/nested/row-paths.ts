/** Finds out where the rows of a nested source are. */
import type { RowPath } from '../row-path.js';
import { SELF, writtenStep } from './nested-path.js';
import type { StructureNode } from './structure.js';

/** Where RSS, Atom, BMEcat and JSON-LD have their rows. */
const KNOWN = [
  /^rss\/channel\/item$/,
  /^(?:\w+:)?RDF\/item$/,
  /^feed\/entry$/,
  /^BMECAT\/T_[A-Z_]+\/(?:PRODUCT|ARTICLE)$/,
  /^@graph$/,
];
const ROW_NAME = /(?:product|item|article|artikel|produkt|produit|producto|offer|entry|record|row|good)s?$/i;
/** What contains lists with so many times its own values only holds them together. */
const CONTAINER = 3;
const PART_WEIGHT = 0.3;
const SINGLE_WEIGHT = 0.3;
const CONTAINER_WEIGHT = 0.1;
const NAME_WEIGHT = 1.5;

/**
 * The paths that may be those of the rows, the most plausible first. Each repeated element with values is one, and so is an
 * element that is there once. A path is the more plausible, the more different values are below it, and the more often
 * it is there. What is repeated within rows is a part of them, unless what contains it has hardly any values: a list of
 * categories, each with its products, has the products as rows.
 */
export function rowPathsOf(root: StructureNode): RowPath[] {
  const found: RowPath[] = [];
  addPaths(root, [], false, found);
  return found.sort((a, b) => Number(b.isKnown) - Number(a.isKnown) || b.score - a.score);
}

function addPaths(node: StructureNode, names: readonly string[], isPart: boolean, found: RowPath[]): void {
  const values = valuesOf(node);
  const isContainer = holdsTogether(node, values);
  const isDocument = names.length === 0;
  if (values > 0 && node.count > 0) {
    const path = isDocument ? SELF : names.map(writtenStep).join('/');
    const often = node.isList ? Math.log2(1 + node.count) : SINGLE_WEIGHT;
    const weight =
      (isPart ? PART_WEIGHT : 1) * (isContainer ? CONTAINER_WEIGHT : 1) * (ROW_NAME.test(node.name) ? NAME_WEIGHT : 1);
    const score = allValues(node) * often * weight;
    found.push({ path, rows: node.count, values, score, isKnown: KNOWN.some((known) => known.test(path)) });
  }
  const isRow = node.count > 0 && values > 0 && !isContainer && (node.isList || values > 2);
  for (const member of node.members.values()) {
    if (member.members.size > 0) addPaths(member, [...names, member.name], isPart || isRow, found);
  }
}

/** Whether lists within a node are what it is there for. What is there once is more often a frame than a row. */
function holdsTogether(node: StructureNode, values: number): boolean {
  return listsWithin(node).some((list) => {
    if (node.count > 1) return valuesOf(list) > values * CONTAINER;
    return allValues(list) > (node.isList ? values * CONTAINER : values);
  });
}

/** How many values a node has, without those of lists of objects in it. */
function valuesOf(node: StructureNode): number {
  let values = 0;
  for (const member of node.members.values()) {
    if (member.isLeaf) values += 1;
    if (!member.isList) values += valuesOf(member);
  }
  return values;
}

function allValues(node: StructureNode): number {
  let values = 0;
  for (const member of node.members.values()) values += Number(member.isLeaf) + allValues(member);
  return values;
}

/** The lists of objects that are not within others. */
function listsWithin(node: StructureNode): StructureNode[] {
  return [...node.members.values()].flatMap((member) => {
    if (member.members.size === 0) return [];
    return member.isList ? [member] : listsWithin(member);
  });
}
