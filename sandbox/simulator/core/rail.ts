import type Router from '@koa/router';
import type { Book } from './book.ts';
import type { Orders } from './orders.ts';
import type { SimulatorTiming } from './scenario.ts';

export type RailContext = { router: Router; orders: Orders; timing: SimulatorTiming; book: Book };
