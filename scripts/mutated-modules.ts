/** A part of the code whose tests are tested. */
export interface MutatedModule {
  /** What is changed. */
  readonly files: readonly string[]
  /** The tests that have to notice. */
  readonly tests: readonly string[]
  /** The files are loaded within a test: each test file must load them anew. Slower. */
  readonly onDemand?: true
}

const core = 'packages/core/src'
const guard = 'packages/processors/src/guard'

/** Where a fault lets text pass a guard, or answers a call twice, or believes a client. */
export const mutatedModules: Readonly<Record<string, MutatedModule>> = {
  gate: {
    files: [`${core}/processors/gate.ts`],
    tests: [
      `${core}/processors/*.test.ts`,
      `${core}/run/{control-signals,halt,suspension,retry,snapshot}.test.ts`,
      `${core}/composition/{parallel,processor-pipeline}.test.ts`,
    ],
  },
  resume: {
    onDemand: true,
    files: [`${core}/run/{resume-run,snapshot,snapshot-shape,place}.ts`],
    tests: [
      `${core}/run/{resume-run,suspension,snapshot,resumed-stream,retry}.test.ts`,
      `${core}/tools/{approval,client-tools}.test.ts`,
    ],
  },
  'run-tools': {
    files: [`${core}/tools/run-tools.ts`, `${core}/tools/decide-calls.ts`],
    tests: [
      `${core}/tools/*.test.ts`,
      `${core}/processors/{tool-hooks,process-execution}.test.ts`,
      `${core}/run/snapshot.test.ts`,
      `${core}/{events/events,composition/agent-tool}.test.ts`,
    ],
  },
  'surface-run': {
    files: [`${guard}/{surface-run,surface-map,whole-chunk,inbound-messages,response-messages}.ts`],
    tests: [`${guard}/{text-guard,every-surface}.test.ts`, 'packages/processors/test/seams/*.test.ts'],
  },
  'stream-texts': {
    files: [`${guard}/{step-stream,chunk-queue,joined-text,seam-scan,seamed-text,scanner-inspector}.ts`],
    tests: [
      `${guard}/{text-guard,every-surface,named-values}.test.ts`,
      'packages/processors/test/seams/*.test.ts',
    ],
  },
  'client-messages': {
    files: [`${core}/ui/{client-messages,parse-ui-messages,untrusted-messages}.ts`],
    tests: [
      `${core}/ui/{client-messages,parse-ui-messages,untrusted-messages}.test.ts`,
      'packages/core/test/ui/forged-history.test.ts',
    ],
  },
  'json-values': {
    files: [`${guard}/{json-value,json-text,json-names}.ts`, `${core}/tools/json-output.ts`],
    tests: [`${guard}/{json-value,json-text}.test.ts`, `${core}/tools/json-output.test.ts`],
  },
}
