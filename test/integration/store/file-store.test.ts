/** What every file store does, in a folder and in S3. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { FileMissing, type FileStore } from '../../../src/platform/file-store.js';
import { outageOf } from '../../../src/platform/outage.js';
import { forEachStore, openPlace } from '../../support/for-each-store.js';

const MEBIBYTE = 1024 * 1024;
/** More than two parts of a multipart upload, and more than one piece of a read. */
const LARGE = 17 * MEBIBYTE + 5;

describe('a file store', () => {
  forEachStore((backend) => {
    let store: FileStore;
    before(async () => {
      store = openPlace(await backend.newPlace());
    });

    async function write(key: string, ...chunks: readonly Buffer[]): Promise<void> {
      const pending = await store.create(key);
      await pipeline(chunks, pending.stream);
      await pending.commit();
    }

    it('shows a file when it is committed, whole and in parts, and its size', async () => {
      const pending = await store.create('some/items.csv');
      await pipeline([Buffer.from('SKU\n'), Buffer.from('A-1\n')], pending.stream);
      assert.equal(await store.size('some/items.csv'), null, 'not before');
      await pending.commit();
      assert.equal((await buffer(await store.read('some/items.csv'))).toString(), 'SKU\nA-1\n');
      assert.equal((await buffer(await store.read('some/items.csv', { start: 1, end: 5 }))).toString(), 'KU\nA');
      assert.equal((await store.readRange('some/items.csv', 4, 7)).toString(), 'A-1');
      assert.equal((await store.readRange('some/items.csv', 4, 100)).toString(), 'A-1\n', 'as far as it goes');
      assert.equal((await store.readRange('some/items.csv', 50, 100)).length, 0);
      assert.equal(await store.size('some/items.csv'), 8);
      assert.equal(await store.requireSize('some/items.csv'), 8);
    });

    it('replaces a file that is written again', async () => {
      await write('replaced', Buffer.from('one'));
      await write('replaced', Buffer.from('another'));
      assert.equal((await buffer(await store.read('replaced'))).toString(), 'another');
    });

    it('keeps an empty file', async () => {
      await write('empty');
      assert.equal(await store.size('empty'), 0);
      assert.equal((await buffer(await store.read('empty'))).length, 0);
      assert.equal((await store.readRange('empty', 0, 10)).length, 0);
    });

    it('keeps a large file byte for byte, whoever reads how', async () => {
      const bytes = randomBytes(LARGE);
      const chunks = [bytes.subarray(0, 100_001), bytes.subarray(100_001, 9 * MEBIBYTE), bytes.subarray(9 * MEBIBYTE)];
      await write('large', ...chunks);
      assert.equal(await store.size('large'), LARGE);
      assert.ok(bytes.equals(await buffer(await store.read('large'))));
      const [start, end] = [8 * MEBIBYTE - 10, 16 * MEBIBYTE + 10];
      assert.ok(bytes.subarray(start, end).equals(await store.readRange('large', start, end)));
      assert.ok(bytes.subarray(start, end).equals(await buffer(await store.read('large', { start, end }))));
    });

    it('takes bytes over: whoever wrote them may use their memory again', async () => {
      const pending = await store.create('reused');
      const chunk = Buffer.alloc(10, 'a');
      await new Promise<void>((resolve, reject) => {
        pending.stream.write(chunk, (error) => (error ? reject(error) : resolve()));
      });
      chunk.fill('b');
      await pipeline([chunk], pending.stream);
      await pending.commit();
      assert.equal((await store.readRange('reused', 0, 20)).toString(), 'aaaaaaaaaabbbbbbbbbb');
    });

    it('says that a file is missing, which is no outage', async () => {
      assert.equal(await store.size('nothing'), null);
      for (const attempt of [
        () => store.requireSize('nothing'),
        () => store.readRange('nothing', 0, 1),
        () => store.read('nothing'),
      ]) {
        const error = await attempt().catch((reason: unknown) => reason);
        assert.ok(error instanceof FileMissing);
        assert.equal(error.key, 'nothing');
        assert.equal(outageOf(error), null);
      }
      await store.remove('nothing');
    });

    it('removes files', async () => {
      await write('removed', Buffer.from('x'));
      await store.remove('removed');
      assert.equal(await store.size('removed'), null);
    });

    it('leaves nothing of a file that is discarded, small or large', async () => {
      for (const bytes of [10, LARGE]) {
        const pending = await store.create('discarded');
        await new Promise<void>((resolve) => pending.stream.write(Buffer.alloc(bytes), () => resolve()));
        await pending.discard();
        assert.equal(await store.size('discarded'), null);
      }
    });

    it('refuses keys that lead out of it', async () => {
      for (const key of ['../outside', 'a/../../outside']) {
        await assert.rejects(store.create(key), /may not leave the store/);
      }
    });

    it('has scratch files, which need not fit into memory', async () => {
      const scratch = await store.createScratch();
      scratch.append(Buffer.from('some '));
      scratch.append(Buffer.from('bytes'));
      assert.equal(scratch.size, 10);
      assert.equal(scratch.read(3, 7).toString(), 'e by');
      scratch.close();
    });

    it('answers a trial, and knows of free space', async () => {
      await store.ping();
      assert.ok((await store.freeBytes()) > 0);
    });

    it('removes what was never committed when it is abandoned, and nothing else', async () => {
      await write('kept', Buffer.from('kept'));
      const pending = await store.create('abandoned');
      await new Promise<void>((resolve) => pending.stream.write(Buffer.alloc(LARGE), () => resolve()));
      await store.removeAbandoned(60_000);
      // Half a second passes between the clocks of S3, which count seconds.
      await store.removeAbandoned(-60_000);
      assert.equal(await store.size('kept'), 4);
      pending.stream.end();
      await assert.rejects(async () => {
        await new Promise<void>((resolve, reject) => pending.stream.on('finish', resolve).on('error', reject));
        await pending.commit();
      });
      await pending.discard();
    });

    it('whose place is gone is an outage, and no missing file', async () => {
      const gone = openPlace(await backend.gonePlace());
      for (const attempt of [() => gone.size('file'), () => gone.readRange('file', 0, 1), () => gone.ping()]) {
        const error = await attempt().catch((reason: unknown) => reason);
        assert.equal(outageOf(error), 'file store', String(error));
      }
    });
  });
});
