/** Step 2: an order, and word to its customer that it is on its way. */
import type { ApiClient } from './api-client.js';
import { expectEqual } from './expect-equal.js';
import type { Screen } from './screen.js';

const ORDER = { documentType: 'ORDER', id: 'SO-1001' } as const;
const CUSTOMER = { name: { first: 'Ada', last: 'Sample' }, email: 'ada@example.com' };
const NEIGHBOUR = { name: { first: 'Charles' }, phone: { number: '4915100000000', type: 'MOBILE' } };

export async function placeOrder(api: ApiClient, account: string, screen: Screen): Promise<void> {
  const tenant = { 'tenant-key': account };
  const order = { ...ORDER, payload: { total: '89.90', currency: 'EUR' }, contactInfo: [CUSTOMER] };
  await api.post('/api/v2/document', order, tenant);
  const notification = { ...ORDER, notificationType: 'ORDER_SHIPPED', overrideContactInfo: [NEIGHBOUR] };
  const { body: sent } = await api.post('/api/v2/notification/send', notification, tenant);
  expectEqual('notification that was sent', sent, [notification]);
  screen.step('Order', `${ORDER.id} registered, and a notification sent that it is shipped`);
}
