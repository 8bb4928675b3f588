import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

// The SDK's logs would drown the report; what goes wrong shows in the assertions.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});
