import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { paceRequests } from '../../../src/api/request-pacing.js';

describe('requests that arrive at the same moment', () => {
  let begun: string[];
  let send: (address: string, count: number) => void;
  beforeEach(() => {
    begun = [];
    const listener = paceRequests(
      ({ headers }) => begun.push(headers.from ?? ''),
      ({ headers }) => headers.from ?? null,
    );
    send = (address, count) => {
      for (let number = 0; number < count; number++) {
        const request = new IncomingMessage(new Socket());
        request.headers.from = address;
        listener(request, new ServerResponse(request));
      }
    };
  });

  it('begin at once when they are few', () => {
    send('a', 16);
    assert.equal(begun.length, 16);
  });

  it('begin 16 in each turn of the event loop, all of them', async () => {
    send('a', 40);
    assert.equal(begun.length, 16);
    await turn();
    assert.equal(begun.length, 32);
    await turn();
    assert.equal(begun.length, 40);
    await turn();
    send('a', 16);
    assert.equal(begun.length, 56, 'the next ones begin at once again');
  });

  it('begin in rounds of their addresses', async () => {
    send('a', 100);
    send('b', 2);
    await turn();
    assert.equal(begun.filter((address) => address === 'b').length, 2);
  });
});
