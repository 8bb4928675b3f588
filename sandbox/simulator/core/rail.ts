import type Router from '@koa/router';
import type { Book } from './book.ts';
import type { Orders } from './orders.ts';
import type { SimulatorTiming } from './scenario.ts';

/** The tools of a rail. `book`: for facts that it remembers beside its orders. */
export type RailContext = { router: Router; orders: Orders; timing: SimulatorTiming; book: Book };
