/** Where files are stored, as STORAGE_URL says. */
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Environment } from './environment.js';

/** Where uploads, spools and error files are stored. */
export interface StorageConfig {
  /** A local folder: of the files, or of scratch files where the files are in S3. */
  readonly directory: string;
  /** Undefined: the files are in the folder. */
  readonly s3: S3Location | undefined;
  /** How long it may take to answer. */
  readonly timeoutMs: number;
}

/** Where the files are, as STORAGE_URL says. Its credentials are not part of it: the SDK finds them. */
export interface S3Location {
  readonly bucket: string;
  /** What each key begins with, with a slash at its end; or empty. */
  readonly prefix: string;
  /** Undefined: that of AWS, or of AWS_ENDPOINT_URL. */
  readonly endpoint: string | undefined;
  /** The address of the same store for clients of the API. */
  readonly publicEndpoint: string | undefined;
  /** Undefined: the SDK finds it. */
  readonly region: string | undefined;
  /** Whether the bucket is named in the path, instead of in the host. */
  readonly pathStyle: boolean;
  /** Whether clients upload and download by URLs of the store, instead of the API's. */
  readonly direct: boolean;
  /** The size of the first parts of a file that is uploaded in parts. */
  readonly partBytes: number;
}

export function storageOf(env: Environment): StorageConfig {
  const timeoutMs = env.STORAGE_TIMEOUT_MS;
  if (env.STORAGE_URL === undefined) return { directory: `${env.DATA_DIR ?? '.data'}/files`, s3: undefined, timeoutMs };
  const address = new URL(env.STORAGE_URL);
  if (address.protocol === 's3:') return { directory: tmpdir(), s3: s3Location(address, env), timeoutMs };
  return { directory: fileURLToPath(address), s3: undefined, timeoutMs };
}

const S3_PARAMETERS = ['endpoint', 'publicEndpoint', 'region', 'pathStyle', 'direct', 'partKiB'];
/** The least that S3 accepts is 5 MiB. */
const PART_KIB = 8 * 1024;
const MOST_PART_KIB = 1024 * 1024;

function s3Location(address: URL, { AWS_REGION, AWS_DEFAULT_REGION }: Environment): S3Location {
  const { hostname: bucket, pathname, searchParams: parameters } = address;
  const folders = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '');
  const endpoint = parameters.get('endpoint') ?? undefined;
  // The stores of others accept any region, and AWS has one that is right for a bucket.
  const anyRegion = endpoint === undefined ? undefined : 'us-east-1';
  return {
    bucket,
    prefix: folders === '' ? '' : `${folders}/`,
    endpoint,
    publicEndpoint: parameters.get('publicEndpoint') ?? undefined,
    region: parameters.get('region') ?? AWS_REGION ?? AWS_DEFAULT_REGION ?? anyRegion,
    pathStyle: (parameters.get('pathStyle') ?? String(endpoint !== undefined)) === 'true',
    direct: parameters.get('direct') !== 'false',
    partBytes: Number(parameters.get('partKiB') ?? PART_KIB) * 1024,
  };
}

/** Whether the files are in a bucket. */
export function isS3(storageUrl: string | undefined): boolean {
  return storageUrl !== undefined && new URL(storageUrl).protocol === 's3:';
}

/** What is wrong with the address. Its messages do not repeat it: it may hold a secret that does not belong there. */
export function wrongStorage(storageUrl: string): string[] {
  return isS3(storageUrl) ? wrongS3(new URL(storageUrl)) : wrongFolder(storageUrl);
}

function wrongFolder(storageUrl: string): string[] {
  const address = new URL(storageUrl);
  if (/^file:\/\/(localhost)?\/+[^/]/i.test(storageUrl) && address.search === '' && address.hash === '') {
    try {
      if (fileURLToPath(address) !== '/') return [];
    } catch {
      // Such as %2F, or % without two digits.
    }
  }
  const example = 'file:///srv/longshore/files, with three slashes, and %20 for a blank, %23 for # and %3F for ?';
  return [`STORAGE_URL: expected the whole path of a folder, as ${example}`];
}

function wrongS3({ hostname, username, password, searchParams: parameters }: URL): string[] {
  const wrong: string[] = [];
  if (hostname === '') wrong.push('STORAGE_URL: names no bucket; expected s3://bucket/prefix');
  if (username !== '' || password !== '') {
    wrong.push('STORAGE_URL: holds credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead');
  }
  if ([...parameters.keys()].some((name) => !S3_PARAMETERS.includes(name))) {
    wrong.push(`STORAGE_URL: has an unknown parameter; there are ${S3_PARAMETERS.join(', ')}`);
  }
  for (const name of ['endpoint', 'publicEndpoint']) {
    const given = parameters.get(name);
    if (given !== null && !/^https?:\/\/[^/@]+\/?$/.test(given)) {
      wrong.push(`STORAGE_URL: expected ${name}=https://host or http://host:port`);
    }
  }
  for (const name of ['pathStyle', 'direct']) {
    if (!['true', 'false', null].includes(parameters.get(name)))
      wrong.push(`STORAGE_URL: expected ${name}=true or false`);
  }
  const partKiB = parameters.get('partKiB') ?? String(PART_KIB);
  if (!/^[1-9]\d{0,6}$/.test(partKiB) || Number(partKiB) > MOST_PART_KIB) {
    wrong.push(`STORAGE_URL: expected partKiB as a whole number from 1 to ${MOST_PART_KIB}`);
  }
  return wrong;
}
