/** Finds the columns of a nested source: the distinct paths of the values below its rows. */
import { keyOfObject, keyValue } from './name-values.js';
import { MAX_COLUMNS, MAX_NODES, tooManyPaths } from './nested-limits.js';
import { isTooLong, SELF, writtenSelector, writtenStep } from './nested-path.js';
import { isJsonObject, XmlElement } from './nested-value.js';

/** With more different values, a key makes no columns: the objects have numbers then. */
const MAX_SELECTED = 2_000;

/** What stands at a path in any row. */
interface PathNode {
  /** Whether it is a value of its own. */
  isLeaf: boolean;
  /** Whether several stand beside each other in some row. */
  isRepeated: boolean;
  members: Map<string, PathNode> | null;
  /** What its objects have, by their number among their brothers. */
  numbered: PathNode[] | null;
  selected: Selected | null | undefined;
}

/** What its objects have, by the value of their key. */
interface Selected {
  readonly key: string;
  readonly isDistinct: boolean;
  readonly byValue: Map<string, PathNode>;
  /** The number of the parent in which each value was seen last, for keys that are distinct. */
  readonly seenIn: Map<string, number>;
}

export class ColumnPaths {
  readonly #row = newNode();
  #nodes = 0;
  #parents = 0;

  /** @throws RejectedInput TOO_MANY_COLUMNS */
  add(row: unknown): void {
    this.#addObject(this.#row, row, null);
  }

  /** The paths, in the order of the document. @throws RejectedInput TOO_MANY_COLUMNS */
  paths(): string[] {
    const paths = new Set<string>();
    listObject(this.#row, '', paths);
    return [...paths];
  }

  #addObject(node: PathNode, value: unknown, without: string | null): void {
    this.#parents += 1;
    const parent = this.#parents;
    if (value instanceof XmlElement) {
      if (value.text !== '') node.isLeaf = true;
      const { names, values, occurrences } = value;
      for (let index = 0; index < names.length; index += 1) {
        const name = names[index] as string;
        if (name === without) continue;
        const child = this.#member(node, name);
        const occurrence = occurrences?.[index] ?? 0;
        if (occurrence > 0) child.isRepeated = true;
        this.#addValue(child, values[index], occurrence, parent);
      }
    } else if (isJsonObject(value)) {
      for (const name of Object.keys(value)) {
        if (name === without) continue;
        const member = value[name];
        if (Array.isArray(member)) this.#addArray(this.#member(node, name), member, parent);
        else this.#addValue(this.#member(node, name), member, 0, parent);
      }
    }
  }

  #addArray(node: PathNode, elements: readonly unknown[], parent: number): void {
    for (const [index, element] of elements.entries()) {
      if (Array.isArray(element) || isJsonObject(element)) node.isRepeated = true;
      if (Array.isArray(element)) this.#addArray(this.#numbered(node, index), element, parent);
      else this.#addValue(node, element, index, parent);
    }
  }

  #addValue(node: PathNode, value: unknown, index: number, parent: number): void {
    if (!(value instanceof XmlElement) && !isJsonObject(value)) {
      node.isLeaf = true;
      return;
    }
    this.#addObject(this.#numbered(node, index), value, null);
    if (node.selected === null) return;
    if (node.selected === undefined) node.selected = newSelected(value);
    if (node.selected !== null && !this.#select(node.selected, value, parent)) node.selected = null;
  }

  /** @returns false if the key does not tell the objects from each other */
  #select(selected: Selected, value: unknown, parent: number): boolean {
    const { key, byValue, seenIn, isDistinct } = selected;
    const text = keyValue(value, key);
    if (text === null || (isDistinct && seenIn.get(text) === parent)) return false;
    let node = byValue.get(text);
    if (node === undefined) {
      if (byValue.size === MAX_SELECTED) return false;
      const kept = ownCopy(text);
      node = this.#count(newNode());
      byValue.set(kept, node);
    }
    if (isDistinct) seenIn.set(text, parent);
    this.#addObject(node, value, key);
    return true;
  }

  #member(node: PathNode, name: string): PathNode {
    node.members ??= new Map();
    let member = node.members.get(name);
    if (member === undefined) {
      member = this.#count(newNode());
      node.members.set(ownCopy(name), member);
    }
    return member;
  }

  #numbered(node: PathNode, index: number): PathNode {
    node.numbered ??= [];
    while (node.numbered.length <= index) node.numbered.push(this.#count(newNode()));
    return node.numbered[index] as PathNode;
  }

  #count(node: PathNode): PathNode {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw tooManyPaths();
    return node;
  }
}

function newNode(): PathNode {
  return { isLeaf: false, isRepeated: false, members: null, numbered: null, selected: undefined };
}

function newSelected(value: unknown): Selected | null {
  const key = keyOfObject(value);
  return key === null
    ? null
    : { key: ownCopy(key.name), isDistinct: key.isDistinct, byValue: new Map(), seenIn: new Map() };
}

/** Lists the paths below an object at a path. */
function listObject(node: PathNode, path: string, paths: Set<string>): void {
  if (node.isLeaf) addPath(path === '' ? SELF : path, paths);
  for (const [name, member] of node.members ?? []) {
    const step = writtenStep(name);
    listMember(member, path === '' ? step : `${path}/${step}`, paths);
  }
}

function listMember(node: PathNode, path: string, paths: Set<string>): void {
  if (node.isLeaf) addPath(path, paths);
  const { selected, numbered } = node;
  if (!node.isRepeated) {
    if (numbered?.[0] !== undefined) listObject(numbered[0], path, paths);
  } else if (selected) {
    for (const [value, object] of selected.byValue) {
      listObject(withoutType(object), `${path}${writtenSelector(selected.key, value)}`, paths);
    }
  } else {
    for (const [index, object] of (numbered ?? []).entries()) listElement(object, `${path}/${index}`, paths);
  }
}

/** An element of an array may be an array again. */
function listElement(node: PathNode, path: string, paths: Set<string>): void {
  if (node.members !== null || node.numbered === null) listObject(node, path, paths);
  if (node.numbered !== null) listMember({ ...node, members: null }, path, paths);
}

/** That it is a PropertyValue says nothing about a property. */
function withoutType(node: PathNode): PathNode {
  if (node.members?.has('@type') !== true) return node;
  const members = new Map(node.members);
  members.delete('@type');
  return { ...node, members };
}

function addPath(path: string, paths: Set<string>): void {
  if (paths.size === MAX_COLUMNS || isTooLong(path)) throw tooManyPaths();
  paths.add(path);
}

/** Texts that were cut out of a block of the source would keep the whole block in memory. */
function ownCopy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
