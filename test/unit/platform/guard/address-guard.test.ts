import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { type AddressGuard, createAddressGuard } from '../../../../src/platform/guard/address-guard.js';
import { BlockedAddressError } from '../../../../src/platform/guard/blocked-address.js';
import { forbiddenTargets, HOSTILE_NAMES } from '../../../support/models/forbidden-targets.js';

const PUBLIC: Readonly<Record<string, readonly string[]>> = {
  'shop.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'v4-only.example': ['64:ff9b::808:808'],
};

async function resolveName(name: string): Promise<readonly string[]> {
  const addresses = HOSTILE_NAMES[name] ?? PUBLIC[name];
  if (addresses === undefined) throw Object.assign(new Error(`queryA ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
  return addresses;
}

describe('the guard of addresses', () => {
  const strict = createAddressGuard({ allowedNetworks: [], resolveName });

  for (const target of forbiddenTargets(8080)) {
    it(`refuses ${target}`, async () => {
      await assert.rejects(strict.checkTarget(target), (error: Error) => {
        assert.ok(error instanceof BlockedAddressError);
        assert.match(error.message, /^blocked address /);
        return true;
      });
    });
  }

  it('knows at least 60 of them', () => assert.ok(forbiddenTargets(1).length >= 60));

  for (const target of [
    'http://93.184.215.14/',
    'https://8.8.8.8:8443/hook?a=b',
    'http://[2606:4700::1111]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[64:ff9b::8.8.8.8]/',
    'https://shop.example/hook',
    'https://v4-only.example/hook',
    'https://not-there-yet.example/hook',
    'https://127.0.0.1.example/',
  ]) {
    it(`lets ${target} pass`, () => strict.checkTarget(target));
  }

  for (const port of [0, 25]) {
    it(`refuses port ${port}, also within allowed networks`, async () => {
      const open = createAddressGuard({ allowedNetworks: ['127.0.0.0/8'], resolveName });
      for (const guard of [strict, open]) {
        for (const target of [
          `http://shop.example:${port}/`,
          `https://8.8.8.8:${port}/`,
          `http://127.0.0.1:0${port}/`,
        ]) {
          await assert.rejects(guard.checkTarget(target), new RegExp(`port ${port}\\b`));
        }
      }
      await strict.checkTarget('http://shop.example:250/');
    });
  }

  it('says which address of which name is forbidden, and why', async () => {
    const messages = await Promise.all(
      ['http://one-of-many.example/', 'http://2130706433/', 'http://localhost/', 'http://a:b@shop.example/'].map(
        (target) => strict.checkTarget(target).catch(({ message }: Error) => message),
      ),
    );
    assert.deepEqual(messages, [
      'blocked address 10.0.0.5 of one-of-many.example (private)',
      'blocked address 127.0.0.1 (loopback)',
      'blocked address 127.0.0.1 of localhost (loopback)',
      'blocked address shop.example (a name or password in the URL)',
    ]);
  });

  it('refuses the ports of no server and of mail, at any address', async () => {
    for (const port of [0, 25]) {
      await assert.rejects(strict.checkTarget(`https://shop.example:${port}/`), {
        message: `blocked address shop.example:${port} (port ${port})`,
      });
    }
  });

  describe('with networks that are allowed', () => {
    const open = createAddressGuard({ allowedNetworks: ['127.0.0.0/8', 'fd00::/8'], resolveName });

    for (const target of [
      'http://127.0.0.1/',
      'http://[::ffff:127.0.0.1]/',
      'http://localhost:1/',
      'http://a.localhost/',
      'http://[fd12::1]/',
      'http://one-of-both.example/',
    ]) {
      it(`lets ${target} pass`, () => open.checkTarget(target));
    }

    for (const target of ['http://10.0.0.1/', 'http://[64:ff9b::127.0.0.1]/', 'http://[fe80::1]/', 'http://[::1]/']) {
      it(`still refuses ${target}`, () => assert.rejects(open.checkTarget(target), BlockedAddressError));
    }

    it('leads localhost to the loopback addresses that are open', async () => {
      assert.deepEqual(await lookedUp(open, 'localhost'), ['127.0.0.1']);
    });
  });

  describe('as the lookup of a socket', () => {
    it('hands out what it has checked', async () => {
      assert.deepEqual(await lookedUp(strict, 'shop.example'), PUBLIC['shop.example']);
    });

    it('hands out nothing of a name that has one forbidden address', () =>
      assert.rejects(lookedUp(strict, 'one-of-many.example'), BlockedAddressError));

    it('passes on what the resolver says', () => assert.rejects(lookedUp(strict, 'nowhere.example'), /ENOTFOUND/));
  });
});

function lookedUp({ lookup }: AddressGuard, host: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => {
      if (error === null) resolve((found as LookupAddress[]).map(({ address }) => address));
      else reject(error);
    });
  });
}
