/** Writes a Parquet file as a stream, a group of rows at a time. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { yieldToEventLoop } from '../../../platform/time-slice.js';
import { isRounded, type ParquetColumn, READERS, schemaOf } from './parquet-column.js';

type Row = readonly (string | null)[];

/**
 * How much text a group of rows holds, in characters. Its values are in memory several times while it is encoded, which
 * is done in one turn: a group of this size takes some 60 ms.
 */
const GROUP_CHARACTERS = 1024 * 1024;
const CREATED_BY = 'longshore';
/** Cells without text take room as well. */
const CELL_CHARACTERS = 8;

/** How many values of a column a double does not hold as they are, and the first of them. */
export interface Rounded {
  readonly title: string;
  count: number;
  readonly first: string;
}

export class ParquetFile {
  readonly #sink: SinkWriter;
  readonly #writer: ParquetWriter;
  readonly #rounded = new Map<string, Rounded>();
  #columns: (readonly [ParquetColumn, unknown[]])[];
  #characters = 0;

  /** @param sink is ended with the file; destroy it to abandon the file */
  constructor(sink: Writable, columns: readonly ParquetColumn[]) {
    this.#sink = new SinkWriter(sink);
    this.#writer = new ParquetWriter({ writer: this.#sink, schema: schemaOf(columns), createdBy: CREATED_BY });
    this.#columns = columns.map((column) => [column, []] as const);
  }

  /** Resolves when the next rows can be written. @throws what the sink failed with */
  async write(rows: readonly Row[]): Promise<void> {
    for (const row of rows) {
      for (const [index, [column, values]] of this.#columns.entries()) {
        const text = row[index] ?? null;
        values.push(text === null ? null : this.#read(column, text));
        this.#characters += CELL_CHARACTERS + (text?.length ?? 0);
      }
      if (this.#characters >= GROUP_CHARACTERS) await this.#writeGroup();
    }
  }

  /** Finishes the file and the sink. @throws what the sink failed with */
  async end(): Promise<void> {
    if (this.#characters > 0) await this.#writeGroup();
    this.#writer.finish();
    if (this.#writer.row_groups.length === 0) this.#sink.nameEmptyList();
    await this.#sink.flush();
    await this.#sink.end();
  }

  rounded(): readonly Rounded[] {
    return [...this.#rounded.values()];
  }

  #read({ title, type }: ParquetColumn, text: string): unknown {
    if (type === 'number' && isRounded(text)) {
      const known = this.#rounded.get(title);
      if (known === undefined) this.#rounded.set(title, { title, count: 1, first: text });
      else known.count += 1;
    }
    return READERS[type](text);
  }

  async #writeGroup(): Promise<void> {
    const columnData = this.#columns.map(([{ title }, data]) => ({ name: title, data }));
    const rowGroupSize = columnData[0]?.data.length ?? 0;
    this.#columns = this.#columns.map(([column]) => [column, []] as const);
    this.#characters = 0;
    await this.#writer.write({ columnData, rowGroupSize });
    await yieldToEventLoop();
  }
}

/** The fields of the footer behind the groups: who created the file. */
const AFTER_LIST = Buffer.concat([Buffer.from([0x28, CREATED_BY.length]), Buffer.from(CREATED_BY)]);
/** No rows (field 3), and an empty list of nothing as groups (field 4), in the compact protocol of Thrift. */
const NO_GROUPS = Buffer.concat([Buffer.from([0x16, 0x00, 0x19, 0x00]), AFTER_LIST]);
const EMPTY_LIST_OF_STRUCTURES = 0x0c;

/** Passes each group on to the stream, and keeps none. */
class SinkWriter extends ByteWriter {
  readonly #sink: Writable;

  constructor(sink: Writable) {
    super();
    this.#sink = sink;
  }

  /**
   * Of a list without elements the library does not say what they would be, which strict readers
   * refuse: the groups of a file without rows, in its footer, which has not been passed on yet, are structures.
   */
  nameEmptyList(): void {
    const bytes = Buffer.from(this.buffer, 0, this.index);
    const at = bytes.lastIndexOf(NO_GROUPS);
    if (at >= 0) bytes[at + NO_GROUPS.length - AFTER_LIST.length - 1] = EMPTY_LIST_OF_STRUCTURES;
  }

  async flush(): Promise<void> {
    const bytes = Buffer.from(this.getBuffer());
    this.index = 0;
    if (this.#sink.errored !== null) throw this.#sink.errored;
    if (!this.#sink.write(bytes)) await Promise.race([once(this.#sink, 'drain'), once(this.#sink, 'close')]);
  }

  async end(): Promise<void> {
    const closed = once(this.#sink, 'close');
    this.#sink.end();
    await closed;
  }
}
