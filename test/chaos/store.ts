/** The file store of a chaos run, and how it is hurt: a folder, or an S3 server; each on a disk that can be full. */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ListMultipartUploadsCommand, ListPartsCommand } from '@aws-sdk/client-s3';
import type { FileStore } from '../../src/platform/file-store.js';
import { type FaultyLine, openFaultyLine } from '../support/faults/faulty-line.js';
import { type FaultyS3, openFaultyS3 } from '../support/faults/faulty-s3.js';
import { mountSmallDisk, type SmallDisk } from '../support/faults/small-disk.js';
import { openPlace } from '../support/for-each-store.js';
import { type OwnS3, startTestS3 } from '../support/worlds/test-s3.js';
import { type Fault, PROCESSES, type ProcessName, type StoreKind } from './schedule.js';

export interface ChaosStore {
  readonly kind: StoreKind;
  /** Whether it has a disk of its own, which can be full. Mounting one needs root. */
  readonly hasDisk: boolean;
  /** The store by a way that no fault is on. */
  readonly files: FileStore;
  /** The variables with which a process finds it. */
  environmentOf(name: ProcessName): Readonly<Record<string, string>>;
  begin(fault: Fault): Promise<void>;
  end(fault: Fault): Promise<void>;
  /** Ends all faults. */
  heal(): Promise<void>;
  /** What is being written: a name that stays the same, and when it was written to last, in milliseconds since 1970. */
  unfinished(): Promise<ReadonlyMap<string, number>>;
  /** Those of the open files of a process that belong to the store, by the names of `unfinished`. */
  filesAmong(paths: readonly string[]): string[];
  stop(): Promise<void>;
}

/** Room for hours: the disk is in memory, and occupies only what is on it. */
const DISK_MEBIBYTES = 8_192;
const KIBIBYTE = 1024;
const UNFINISHED = '.part';
/** So small that the files of a run have several parts. */
const PART_KIB = 2;

/** @param folder where it is if no disk can be mounted */
export async function openChaosStore(kind: StoreKind, folder: string): Promise<ChaosStore> {
  const disk = mountSmallDisk(DISK_MEBIBYTES);
  const path = join(disk?.path ?? folder, 'files');
  mkdirSync(path);
  if (kind === 'folder') return new FolderStore(path, disk);
  try {
    return await S3Store.open(path, disk);
  } catch (error) {
    disk?.remove();
    throw error;
  }
}

class FolderStore implements ChaosStore {
  readonly kind = 'folder';
  readonly files: FileStore;
  #isAway = false;

  constructor(
    readonly path: string,
    readonly disk: SmallDisk | undefined,
  ) {
    this.files = openPlace(pathToFileURL(path).href);
  }

  get hasDisk(): boolean {
    return this.disk !== undefined;
  }

  environmentOf() {
    return { STORAGE_URL: pathToFileURL(this.path).href };
  }

  async begin(fault: Fault): Promise<void> {
    if (fault.kind === 'away') this.#hide();
    if (fault.kind === 'full' && fault.target === 'store') await this.disk?.fill(fault.spareKib * KIBIBYTE);
  }

  async end({ kind }: Fault): Promise<void> {
    if (kind === 'away') this.#show();
    if (kind === 'full') this.disk?.free();
  }

  async heal(): Promise<void> {
    this.#show();
    this.disk?.free();
  }

  async unfinished(): Promise<ReadonlyMap<string, number>> {
    const names = readdirSync(this.path, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith(UNFINISHED),
    );
    const found = new Map<string, number>();
    for (const name of names) {
      const at = statSync(join(this.path, name), { throwIfNoEntry: false })?.mtimeMs;
      if (at !== undefined) found.set(name, at);
    }
    return found;
  }

  filesAmong(paths: readonly string[]): string[] {
    return paths.filter((path) => path.startsWith(this.path)).map((path) => relative(this.path, path));
  }

  async stop(): Promise<void> {
    this.disk?.remove();
  }

  /** A file in the place of the folder: nothing in it can be read, and nothing be written. */
  #hide(): void {
    if (this.#isAway) return;
    this.#isAway = true;
    renameSync(this.path, `${this.path}.away`);
    writeFileSync(this.path, '');
  }

  #show(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    rmSync(this.path, { force: true });
    renameSync(`${this.path}.away`, this.path);
  }
}

/** Between a process and the server are a line of its own and a proxy that all have in common, clients too. */
class S3Store implements ChaosStore {
  readonly kind = 's3';
  readonly files: FileStore;
  readonly #lines: ReadonlyMap<ProcessName, FaultyLine>;

  private constructor(
    readonly place: URL,
    readonly server: OwnS3,
    readonly proxy: FaultyS3,
    lines: ReadonlyMap<ProcessName, FaultyLine>,
    readonly disk: SmallDisk | undefined,
  ) {
    this.#lines = lines;
    this.files = openPlace(place.href);
  }

  static async open(path: string, disk: SmallDisk | undefined): Promise<S3Store> {
    const server = await startTestS3(path);
    const proxy = await openFaultyS3(server.endpoint);
    const lines = new Map<ProcessName, FaultyLine>();
    for (const name of PROCESSES) lines.set(name, await openFaultyLine(proxy.endpoint));
    return new S3Store(new URL(server.newPlace()), server, proxy, lines, disk);
  }

  get hasDisk(): boolean {
    return this.disk !== undefined;
  }

  environmentOf(name: ProcessName) {
    const url = new URL(this.place);
    url.searchParams.set('endpoint', this.#lines.get(name)?.url ?? '');
    url.searchParams.set('publicEndpoint', this.proxy.endpoint);
    url.searchParams.set('partKiB', String(PART_KIB));
    return { STORAGE_URL: url.href, ...this.server.credentials };
  }

  async begin(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'kill':
        return this.server.kill();
      case 'stop':
        return this.server.freeze();
      case 'drop':
      case 'delay':
      case 'half-open':
      case 'silent':
        return this.#lines.get(fault.target)?.set(fault.kind, 200);
      case 'away':
        return this.proxy.failAll('slow-down');
      case 'full':
        return fault.target === 'store' ? this.disk?.fill(fault.spareKib * KIBIBYTE) : undefined;
    }
  }

  async end(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'kill':
        return this.server.restart();
      case 'stop':
        return this.server.thaw();
      case 'drop':
      case 'delay':
      case 'half-open':
      case 'silent':
        return this.#lines.get(fault.target)?.set('pass');
      case 'away':
        return this.proxy.heal();
      case 'full':
        return this.disk?.free();
    }
  }

  async heal(): Promise<void> {
    this.disk?.free();
    this.proxy.heal();
    for (const line of this.#lines.values()) line.set('pass');
    this.server.thaw();
    await this.server.restart();
  }

  /** Uploads in parts that were neither completed nor aborted. */
  async unfinished(): Promise<ReadonlyMap<string, number>> {
    const { client, bucket: Bucket } = this.server;
    const found = new Map<string, number>();
    const { Uploads: open = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
    for (const { Key, UploadId, Initiated: begun } of open) {
      const listed = await client.send(new ListPartsCommand({ Bucket, Key, UploadId })).catch((error: Error) => {
        // It has ended since the uploads were listed.
        if (error.name === 'NoSuchUpload') return undefined;
        throw error;
      });
      if (listed === undefined) continue;
      const { Parts: parts = [] } = listed;
      const times = [begun, ...parts.map(({ LastModified }) => LastModified)].map((at) => at?.getTime() ?? 0);
      found.set(`${Key} (upload ${UploadId})`, Math.max(...times));
    }
    return found;
  }

  filesAmong(): string[] {
    return [];
  }

  async stop(): Promise<void> {
    for (const line of this.#lines.values()) await line.close();
    await this.proxy.close();
    await this.server.stop();
    this.disk?.remove();
  }
}
