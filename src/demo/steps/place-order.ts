/** Step 2: an order, and a notification of its customer. */
import type { LongshoreClient } from '@longshore/client';
import { expectEqual } from '../expect-equal.js';
import type { Screen } from '../screen.js';

const ORDER = { documentType: 'ORDER', id: 'SO-1001' } as const;
const CUSTOMER = { name: { first: 'Ada', last: 'Sample' }, email: 'ada@example.com' };
const NEIGHBOUR = { name: { first: 'Charles' }, phone: { number: '4915100000000', type: 'MOBILE' as const } };

export async function placeOrder(api: LongshoreClient, screen: Screen): Promise<void> {
  const order = { ...ORDER, payload: { total: '89.90', currency: 'EUR' }, contactInfo: [CUSTOMER] };
  await api.createDocument({ body: order });
  const notification = { ...ORDER, notificationType: 'ORDER_SHIPPED', overrideContactInfo: [NEIGHBOUR] };
  const sent = await api.sendNotifications({ body: notification });
  expectEqual('notification that was sent', sent, [notification]);
  screen.step('Order', `${ORDER.id} registered, and a notification sent that it was shipped`);
}
