import type Router from '@koa/router';
import type { Book } from './book.ts';
import type { Orders } from './orders.ts';
import type { SimulatorTiming } from './scenario.ts';

/** What a rail gets to work with. `book`: for what a rail has to remember beside its orders. */
export type RailContext = { router: Router; orders: Orders; timing: SimulatorTiming; book: Book };
