/** A fault in data/ stops a process at its start, not a payment a year later. */
import './banks.ts';
import './batch-files.ts';
import './extracts.ts';
import './failure-codes.ts';
import './fees.ts';
import './messages.ts';
import './networks.ts';
import './prompts.ts';
import './retention.ts';
import './search.ts';
import './statement-layouts.ts';
