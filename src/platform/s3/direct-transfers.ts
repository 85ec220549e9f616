/** What clients transfer without the API. */
import type { S3Client } from '@aws-sdk/client-s3';
import type { DirectTransfers } from '../file-store.js';
import type { Bucket } from './bucket.js';
import { S3Failure } from './failure.js';
import { TEMPORARY } from './maintenance.js';
import { sdk } from './sdk.js';

export function directTransfers(bucket: Bucket): DirectTransfers {
  const incoming = (id: string) => bucket.keyOf(`${TEMPORARY}uploads/${id}`);
  return {
    uploadUrl: async (id, expiresAt) => {
      const { PutObjectCommand } = await sdk();
      const command = new PutObjectCommand({ Bucket: bucket.name, Key: incoming(id) });
      return sign(bucket, expiresAt, (getSignedUrl, client, options) => getSignedUrl(client, command, options));
    },
    downloadUrl: async (key, { name, contentType }, expiresAt) => {
      const { GetObjectCommand } = await sdk();
      const input = {
        Bucket: bucket.name,
        Key: bucket.keyOf(key),
        ResponseContentType: contentType,
        ResponseContentDisposition: attachment(name),
        ResponseCacheControl: 'private, no-store',
      };
      const command = new GetObjectCommand(input);
      return sign(bucket, expiresAt, (getSignedUrl, client, options) => getSignedUrl(client, command, options));
    },
    findUpload: (id) => bucket.find(incoming(id)),
    keepUpload: async (id, { bytes, etag }, key) => {
      const { CopyObjectCommand } = await sdk();
      const source = `${bucket.name}/${incoming(id)}`.split('/').map(encodeURIComponent).join('/');
      const to = bucket.keyOf(key);
      const input = { Bucket: bucket.name, Key: to, CopySource: source, CopySourceIfMatch: etag };
      try {
        const copied = await bucket.call(
          'keeping an upload',
          (client, abortSignal) => client.send(new CopyObjectCommand(input), { abortSignal }),
          bytes,
        );
        await bucket.check(to, bytes, copied.CopyObjectResult?.ETag);
        return true;
      } catch (error) {
        if (error instanceof S3Failure && (error.httpStatus === 412 || error.s3Code === 'NoSuchKey')) return false;
        throw error;
      }
    },
    removeUpload: (id) => bucket.remove(incoming(id)),
  };
}

type Signer = typeof import('@aws-sdk/s3-request-presigner').getSignedUrl;
type SigningOptions = NonNullable<Parameters<Signer>[2]>;

async function sign(
  bucket: Bucket,
  expiresAt: Date,
  signed: (getSignedUrl: Signer, client: S3Client, options: SigningOptions) => Promise<string>,
): Promise<string> {
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const client = await bucket.forClients();
  const now = Date.now();
  const expiresIn = Math.max(1, Math.ceil((expiresAt.getTime() - now) / 1000));
  return bucket.call('signing a URL', () => signed(getSignedUrl, client, { expiresIn, signingDate: new Date(now) }));
}

/** The header that names a download (RFC 6266), also for names that are not ASCII. */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
