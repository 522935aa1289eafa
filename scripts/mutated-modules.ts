/** Files to mutate with their tests. Use few test files: each mutation loads all of them again. */
export interface MutatedPart {
  /** The files to mutate. */
  readonly files: readonly string[]
  /** The tests that must detect the mutations. */
  readonly tests: readonly string[]
}

const core = 'packages/core/src'
const guard = 'packages/guards/src/guard'

/** Modules in which a fault would let text pass a guard, answer a call twice, or trust a client. */
export const mutatedModules: Readonly<Record<string, readonly MutatedPart[]>> = {
  gate: [
    {
      files: [`${core}/processors/gate.ts`],
      tests: [
        `${core}/processors/*.test.ts`,
        `${core}/loop/end/{control-signals,halt,process-delivery}.test.ts`,
        `${core}/loop/input/input-hooks.test.ts`,
        `${core}/loop/model/{process-model-error,wrap-model-call,retry}.test.ts`,
        `${core}/loop/output/{process-output-stream,response-end}.test.ts`,
        `${core}/loop/tools/{tool-hooks,process-execution}.test.ts`,
        `${core}/loop/suspension/{suspension,snapshot}.test.ts`,
        `${core}/composition/{parallel,processor-pipeline}.test.ts`,
      ],
    },
  ],
  resume: [
    {
      files: [
        `${core}/loop/suspension/{resume-run,capture,restore,compatibility}.ts`,
        `${core}/run/resume-point.ts`,
      ],
      tests: [`${core}/loop/suspension/{resume-run,suspension,snapshot,resumed-stream}.test.ts`],
    },
    {
      files: [`${core}/loop/suspension/snapshot-shape.ts`],
      tests: [`${core}/loop/suspension/snapshot-shape.test.ts`],
    },
  ],
  'run-tools': [
    {
      files: [`${core}/loop/tools/{run-tools,decide-calls,execute-calls,answer-calls}.ts`],
      tests: [`${core}/loop/tools/{run-tools,tool-hooks,calls-cut-short,client-tools,approval}.test.ts`],
    },
    { files: [`${core}/loop/tools/call-queue.ts`], tests: [`${core}/loop/tools/call-queue.test.ts`] },
  ],
  'surface-run': [
    {
      files: [`${guard}/{surface-run,surface-map,whole-chunk}.ts`],
      tests: [`${guard}/surface-run.test.ts`],
    },
  ],
  messages: [
    { files: [`${guard}/inbound-messages.ts`], tests: [`${guard}/inbound-messages.test.ts`] },
    { files: [`${guard}/response-messages.ts`], tests: [`${guard}/response-messages.test.ts`] },
  ],
  'stream-texts': [
    { files: [`${guard}/step-stream.ts`], tests: [`${guard}/{step-stream,surface-run}.test.ts`] },
    {
      files: [`${guard}/{chunk-queue,joined-text}.ts`],
      tests: [`${guard}/{chunk-queue,joined-text}.test.ts`],
    },
    { files: [`${guard}/parted-text.ts`], tests: [`${guard}/parted-text.test.ts`] },
  ],
  'client-messages': [
    {
      files: [`${core}/ui/{client-messages,parse-ui-messages,untrusted-messages}.ts`],
      tests: [
        `${core}/ui/{client-messages,parse-ui-messages,untrusted-messages}.test.ts`,
        'packages/core/test/ui/forged-history.test.ts',
      ],
    },
  ],

  'json-values': [
    {
      files: [`${guard}/{json-value,json-text,json-names}.ts`, `${core}/messages/json-output.ts`],
      tests: [`${guard}/{json-value,json-text}.test.ts`, `${core}/messages/json-output.test.ts`],
    },
  ],
}
