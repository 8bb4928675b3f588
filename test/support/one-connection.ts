// `npm run test:one-connection`: a step that waits for a second connection while it holds the first never ends.
process.env.TEST_POOL_MAX = '1';
