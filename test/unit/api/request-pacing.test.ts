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
    send('a', 4);
    assert.equal(begun.length, 4);
  });

  it('begin four in each turn of the event loop, all of them', async () => {
    send('a', 10);
    assert.equal(begun.length, 4);
    await turn();
    assert.equal(begun.length, 8);
    await turn();
    assert.equal(begun.length, 10);
    await turn();
    send('a', 4);
    assert.equal(begun.length, 14, 'the next ones begin at once again');
  });

  it('begin in rounds of their addresses', async () => {
    send('a', 100);
    send('b', 2);
    await turn();
    assert.equal(begun.filter((address) => address === 'b').length, 2);
  });
});
