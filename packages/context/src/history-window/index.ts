export { HistoryWindow, type HistoryWindowOptions } from './history-window.ts'
