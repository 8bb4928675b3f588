import { airtelOpenapiProtocol } from './airtel-openapi/protocol.ts';
import { airtelPaybillProtocol } from './airtel-paybill/protocol.ts';
import { billJsonProtocol } from './bill-json/protocol.ts';
import { clickpesaProtocol } from './clickpesa/protocol.ts';
import { gsmaBillsProtocol, gsmaProtocol } from './gsma/protocol.ts';
import { halopesaBillsProtocol, halopesaProtocol } from './halopesa/protocol.ts';
import { iso20022Protocol } from './iso20022/protocol.ts';
import type { Protocol } from './kit/protocol.ts';
import { mixxProtocol, mixxW2aProtocol } from './mixx/protocol.ts';
import { mpesaBrokerProtocol } from './mpesa-broker/protocol.ts';
import { selcomProtocol } from './selcom/protocol.ts';
import { vodacomOpenapiProtocol } from './vodacom-openapi/protocol.ts';

/** A new protocol needs a folder and a line here (docs/add-a-channel.md). */
export const protocols: readonly Protocol[] = [
  gsmaProtocol,
  vodacomOpenapiProtocol,
  airtelOpenapiProtocol,
  mixxProtocol,
  halopesaProtocol,
  selcomProtocol,
  clickpesaProtocol,
  iso20022Protocol,
  billJsonProtocol,
  gsmaBillsProtocol,
  mpesaBrokerProtocol,
  airtelPaybillProtocol,
  mixxW2aProtocol,
  halopesaBillsProtocol,
];
