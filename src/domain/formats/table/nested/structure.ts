/** What a nested source consists of, by path and without numbers: where its rows may be is read from it. */
import type { JsonHandler } from './json-reader.js';
import { MAX_NODES, tooManyPaths } from './nested-limits.js';
import { isJsonObject } from './nested-value.js';
import type { XmlHandler } from './xml-reader.js';

const NOT_BLANK = /[^ \t\r\n]/;

export interface StructureNode {
  readonly name: string;
  /** Elements or objects at this path. */
  count: number;
  /** Whether several stand beside each other. */
  isList: boolean;
  /** Whether it is a value of its own. */
  isLeaf: boolean;
  readonly members: Map<string, StructureNode>;
  /** The number of the parent in which it was seen last. */
  seenIn: number;
}

interface OpenNode {
  readonly node: StructureNode;
  readonly number: number;
}

export class Structure {
  readonly root: StructureNode = newNode('');
  readonly #open: OpenNode[] = [{ node: this.root, number: 0 }];
  #nodes = 0;
  #numbers = 0;

  /** @returns the member of the innermost open node. @throws RejectedInput TOO_MANY_COLUMNS */
  member(name: string): StructureNode {
    const { members } = this.#innermost.node;
    let node = members.get(name);
    if (node !== undefined) return node;
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw tooManyPaths();
    node = newNode(Buffer.from(name, 'utf16le').toString('utf16le'));
    members.set(node.name, node);
    return node;
  }

  /** Enters an element or object. */
  enter(node: StructureNode): void {
    const { number } = this.#innermost;
    node.count += 1;
    if (node.seenIn === number) node.isList = true;
    node.seenIn = number;
    this.#numbers += 1;
    this.#open.push({ node, number: this.#numbers });
  }

  leave(): void {
    this.#open.pop();
  }

  get #innermost(): OpenNode {
    return this.#open.at(-1) as OpenNode;
  }

  get innermost(): StructureNode {
    return this.#innermost.node;
  }
}

function newNode(name: string): StructureNode {
  return { name, count: 0, isList: false, isLeaf: false, members: new Map(), seenIn: -1 };
}

export class XmlStructure implements XmlHandler {
  readonly rows = null;
  readonly structure = new Structure();

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const { structure } = this;
    structure.enter(structure.member(name));
    for (const attribute in attributes) {
      if (attribute !== 'xmlns' && !attribute.startsWith('xmlns:')) structure.member(`@${attribute}`).isLeaf = true;
    }
  }

  close(): void {
    const { innermost } = this.structure;
    if (innermost.members.size === 0) innermost.isLeaf = true;
    this.structure.leave();
  }

  text(text: string): void {
    const { innermost } = this.structure;
    if (!innermost.isLeaf && NOT_BLANK.test(text)) innermost.isLeaf = true;
  }
}

/** Objects of JSON; arrays are passed through, and what is in them stands beside each other. */
export class JsonStructure implements JsonHandler {
  readonly rows = null;
  readonly structure = new Structure();
  /** The node of the value that comes next, at each level. */
  readonly #nodes: StructureNode[] = [];
  readonly #isArray: boolean[] = [];
  #next: StructureNode = this.structure.root;

  isRow(): boolean {
    return false;
  }

  row(): void {}

  open(isArray: boolean): void {
    if (isArray) this.#next.isList = true;
    else this.structure.enter(this.#next);
    this.#nodes.push(this.#next);
    this.#isArray.push(isArray);
  }

  close(): void {
    this.#nodes.pop();
    if (this.#isArray.pop() === false) this.structure.leave();
    this.#ended();
  }

  member(name: string): void {
    this.#next = this.structure.member(name);
  }

  scalar(): void {
    this.#next.isLeaf = true;
    this.#ended();
  }

  #ended(): void {
    if (this.#isArray.at(-1) === true) this.#next = this.#nodes.at(-1) as StructureNode;
  }
}

/** Adds a value that was parsed already to the node that it is at. */
export function addParsed(structure: Structure, node: StructureNode, value: unknown): void {
  if (Array.isArray(value)) {
    node.isList = true;
    for (const element of value) addParsed(structure, node, element);
  } else if (isJsonObject(value)) {
    structure.enter(node);
    for (const name of Object.keys(value)) addParsed(structure, structure.member(name), value[name]);
    structure.leave();
  } else node.isLeaf = true;
}
