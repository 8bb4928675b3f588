import { writeFile } from 'node:fs/promises';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { noteOfBuild } from '../platform/temporal/build-id.ts';
import { bundleFile, workflowSources } from '../platform/temporal/workflow-code.ts';

/** The build ends with this, so that workers need not compile the workflows. */
const { code } = await bundleWorkflowCode({ ...workflowSources, logger: new DefaultLogger('WARN') });
await writeFile(bundleFile, code);
console.log(`${bundleFile}: ${Math.round(Buffer.byteLength(code) / 1024)} KiB`);

const { file, buildId } = noteOfBuild(process.env.BUILD_ID || undefined);
await writeFile(file, `${buildId}\n`);
console.log(`${file}: ${buildId}`);
