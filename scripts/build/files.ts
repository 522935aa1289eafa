import type { OutputFilesOptions } from './output-files.ts'

/**
 * The output files of a package in addition to its entry points, each with its modules in `src`. First the files that are
 * loaded at startup, then those that are loaded on demand, one for each occasion. A module that several files need is in
 * the first of them.
 */
export const FILES: Readonly<Record<string, OutputFilesOptions['files']>> = {
  '@millrace/context': {
    content: ['content/', 'window/'],
    shared: [],
  },
  '@millrace/core': {
    // The modules that the agent imports. The agent has its own file, because bundlers keep a class with a static block
    // whenever its file is imported.
    loop: [
      'agent/agent-options.ts',
      'agent/agent-pipeline.ts',
      'agent/agent-tool.ts',
      'agent/prepare-run.ts',
      'agent/run-settings-of.ts',
      'agent/run-stream.ts',
      'loop/end/execute.ts',
      'per-run.ts',
      'run/call-record.ts',
      'run/deadline.ts',
      'run/run.ts',
      'transcript/prompt-text.ts',
    ],
    agent: ['agent/agent.ts'],
    // Modules that the other exports of the entry point share with files loaded on demand. Bundlers include such a file
    // with any export of the entry point, so it must not have an exported module.
    common: [
      'loop/hook-kit.ts',
      'composition/refuse-approval.ts',
      'composition/unknown-tool.ts',
      'events/background-error.ts',
      'events/close.ts',
      'loop/output/held-chunks.ts',
      'messages/check-parts.ts',
      'messages/json-output.ts',
      'processors/warm-up-processors.ts',
      'storage/arguments.ts',
      'ui/optional-fields.ts',
      'ui/run-data-parts.ts',
      'ui/waiting-parts.ts',
    ],
    tools: [
      'loop/tools/run-tools.ts',
      'loop/tools/await-approvals.ts',
      'loop/tools/process-execution.ts',
      'loop/tools/process-tool-call.ts',
      'loop/tools/process-tool-result.ts',
      'loop/model/reviewed-views.ts',
      'tools/model-output.ts',
      'transcript/assistant-prompt.ts',
    ],
    retry: ['loop/tools/await-retry.ts', 'model/failed-call.ts'],
    handoff: [
      'agent/run-as-tool.ts',
      'loop/handoff/accept-handoff.ts',
      'loop/handoff/begin-handoff.ts',
      'loop/handoff/relay-handoff.ts',
      'loop/model/next-attempt.ts',
    ],
    end: ['loop/end/halt-run.ts', 'loop/end/review-incomplete.ts'],
    snapshot: ['loop/suspension/compatibility.ts'],
    suspension: [
      'loop/suspension/capture.ts',
      'loop/suspension/release-run.ts',
      'loop/suspension/resume-run.ts',
      'loop/suspension/stored-run-journal.ts',
      'loop/suspension/suspend-run.ts',
    ],
    messages: ['composition/provider-prompt.ts', 'messages/list-input.ts', 'ui/client-messages.ts'],
    'ui-stream': ['ui/ui-chunks.ts', 'ui/whole-waiting-message.ts'],
    tracing: ['tracing/run-metrics.ts', 'tracing/run-trace.ts', 'tracing/spans-and-metrics.ts'],
    history: ['model/history/history-kit.ts', 'model/history/mend-prompt.ts'],
    'structured-output': ['loop/output/parse-object.ts', 'loop/output/parse-json.ts'],
    api: ['index.ts'],
  },
  '@millrace/guards': {
    guard: ['guard/text-guard.ts', 'scanner/pattern.ts', 'code-point.ts'],
    scanner: ['scanner/'],
    // Modules that several entry points share with files loaded on demand.
    text: [
      'guard/edited-text.ts',
      'guard/message-text.ts',
      'guard/text-edits.ts',
      'judge/windows.ts',
      'unicode-normalizer/look-alikes.ts',
    ],
    shared: [],
    run: ['guard/entity-inspector.ts', 'guard/scanner-run.ts'],
    judging: ['judge/window-run.ts'],
    injection: ['prompt-injection/injection-run.ts'],
    scorer: ['prompt-injection/load-scorer.ts'],
    phrases: ['moderation/phrases.ts', 'moderation/words.ts'],
  },
  '@millrace/memory': {
    memory: ['index.ts'],
    observing: [
      'observations/edit-observations.ts',
      'observations/note-taker.ts',
      'observations/take-notes.ts',
      'working-memory/extract-patch.ts',
    ],
    threads: ['resource-data/index.ts', 'threads/index.ts'],
  },
  '@millrace/pii': {
    shared: ['evidence.ts'],
    recognizers: ['crypto-wallet.ts', 'everywhere.ts', 'folded-scanner.ts', 'national/', 'phone.ts'],
  },
}
