/** Builds the element of a row from its parts. */
import type { SourceLimits } from '../../model/source-limits.js';
import { rowTooLong } from '../../text/row-too-long.js';
import { textTooLong } from './nested-limits.js';
import { XmlElement } from './nested-value.js';

/** What an element costs beside its characters. */
const ELEMENT_COST = 32;
/** With more children, those of a name are counted in a map. */
const FEW_CHILDREN = 16;

interface OpenElement {
  name: string;
  element: XmlElement | null;
  attributes: number;
  text: string;
  /** The length of `text` before each child. */
  marks: number[] | null;
  /** How many children of each name there are. */
  counts: Map<string, number> | null;
}

export class ElementBuilder {
  /** Those up to #depth are open; the others are used again. */
  readonly #open: OpenElement[] = [];
  #depth = 0;
  readonly #attributeNames = new Map<string, string>();
  #size = 0;
  /** The number of the row that is built. */
  row = 0;

  readonly #limits: Pick<SourceLimits, 'maxRowBytes' | 'maxCellBytes'>;

  constructor(limits: Pick<SourceLimits, 'maxRowBytes' | 'maxCellBytes'>) {
    this.#limits = limits;
  }

  /** Begins a row. */
  begin(row: number): void {
    this.row = row;
    this.#depth = 0;
    this.#size = 0;
  }

  open(name: string): void {
    const open = this.#open[this.#depth];
    if (open === undefined) {
      this.#open.push({ name, element: null, attributes: 0, text: '', marks: null, counts: null });
    } else {
      open.name = name;
      open.element = null;
      open.attributes = 0;
      open.text = '';
      open.marks = null;
      open.counts = null;
    }
    this.#depth += 1;
    this.#grow(name.length + ELEMENT_COST);
  }

  /** The declarations of namespaces are no values. */
  attribute(name: string, value: string): void {
    if (name === 'xmlns' || name.startsWith('xmlns:')) return;
    const open = this.#innermost;
    open.element ??= new XmlElement();
    open.element.names.push(this.#attributeName(name));
    open.element.values.push(value);
    open.attributes += 1;
    this.#checkText(value);
    this.#grow(name.length + value.length + ELEMENT_COST);
  }

  text(text: string): void {
    const open = this.#innermost;
    open.text = open.text === '' ? text : open.text + text;
    this.#checkText(open.text);
    this.#grow(text.length);
  }

  /** @returns the row, if it is complete */
  close(): XmlElement | undefined {
    const open = this.#innermost;
    this.#depth -= 1;
    const text = trimmed(open.text);
    if (this.#depth === 0) return rowOf(open, text);
    addChild(this.#innermost, open.name, completed(open, text));
    return undefined;
  }

  get #innermost(): OpenElement {
    return this.#open[this.#depth - 1] as OpenElement;
  }

  #attributeName(name: string): string {
    let written = this.#attributeNames.get(name);
    if (written === undefined) {
      written = `@${name}`;
      if (this.#attributeNames.size < 10_000) this.#attributeNames.set(name, written);
    }
    return written;
  }

  #checkText(text: string): void {
    const { maxCellBytes } = this.#limits;
    if (text.length > maxCellBytes) throw textTooLong(`Row ${this.row}`, maxCellBytes, this.row);
  }

  #grow(characters: number): void {
    this.#size += characters;
    if (this.#size > this.#limits.maxRowBytes) throw rowTooLong(this.row, this.#limits as SourceLimits);
  }
}

function rowOf({ element }: OpenElement, text: string): XmlElement {
  const row = element ?? new XmlElement();
  row.text = text;
  return row;
}

/** The value of an element that is complete: one with a text between its children is that text alone, with theirs. */
function completed({ element, attributes, text: whole, marks }: OpenElement, text: string): string | XmlElement {
  if (element === null) return text;
  element.text = text;
  if (marks === null || text === '') return element;
  let mixed = '';
  let from = 0;
  for (const [index, mark] of marks.entries()) {
    mixed += whole.slice(from, mark) + textWithin(element.values[attributes + index] as string | XmlElement);
    from = mark;
  }
  mixed = trimmed(mixed + whole.slice(from));
  if (attributes === 0) return mixed;
  element.names.length = attributes;
  element.values.length = attributes;
  element.occurrences = null;
  element.text = mixed;
  return element;
}

function textWithin(value: string | XmlElement): string {
  if (typeof value === 'string') return value;
  const children = value.values.filter((_, index) => value.names[index]?.charCodeAt(0) !== 0x40);
  return value.text + children.map(textWithin).join('');
}

function addChild(parent: OpenElement, name: string, value: string | XmlElement): void {
  parent.element ??= new XmlElement();
  const { element, attributes } = parent;
  const before = countBefore(parent, name);
  if (before > 0 && element.occurrences === null) element.occurrences = new Array<number>(element.names.length).fill(0);
  element.names.push(name);
  element.values.push(value);
  element.occurrences?.push(before);
  parent.marks ??= [];
  parent.marks.push(parent.text.length);
  if (element.names.length - attributes === FEW_CHILDREN) parent.counts = countAll(element, attributes);
  else parent.counts?.set(name, before + 1);
}

/** How many children of a name an open element has. Brothers of one name mostly stand together. */
function countBefore({ element, attributes, counts }: OpenElement, name: string): number {
  if (element === null) return 0;
  if (counts !== null) return counts.get(name) ?? 0;
  const { names, occurrences } = element;
  for (let index = names.length - 1; index >= attributes; index -= 1) {
    if (names[index] === name) return (occurrences?.[index] ?? 0) + 1;
  }
  return 0;
}

function countAll({ names }: XmlElement, attributes: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let index = attributes; index < names.length; index += 1) {
    const name = names[index] as string;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Without the blanks of XML at its ends, which are mostly indentation. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;
}
