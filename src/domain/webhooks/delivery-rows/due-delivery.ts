import type { Delivery } from '../../../../db/models/delivery.js';

/** A delivery that is due. */
export type DueDelivery = Pick<Delivery, 'id' | 'lane' | 'dispatch'>;
