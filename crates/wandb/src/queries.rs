//! The exact texts of the queries. They ask for what is used and for nothing else: a page of fifty runs with whole
//! configs can be many megabytes.
//!
//! Names of operations and fields are those of the W&B SDK 0.31 and of the web app; servers log them.

/// Projects of an entity, newest activity first.
pub(crate) const PROJECTS: &str = "query Projects($entityName: String!, $first: Int!, $after: String, $order: String) {
  projects(entityName: $entityName, first: $first, after: $after, order: $order) {
    edges { node { name entityName } }
    pageInfo { endCursor hasNextPage } } }";

/// A page of runs, with only the columns that are shown.
pub(crate) const RUNS: &str = "query Runs($project: String!, $entity: String!, $cursor: String, $perPage: Int = 50, \
$order: String, $filters: JSONString, $configKeys: [String!], $summaryKeys: [String!]) {
  project(name: $project, entityName: $entity) {
    runs(filters: $filters, after: $cursor, first: $perPage, order: $order) {
      edges { node { id name displayName state group jobType sweepName tags notes createdAt
        historyLineCount
        config(keys: $configKeys) summaryMetrics(keys: $summaryKeys) } cursor }
      pageInfo { endCursor hasNextPage } } } }";

/// [`RUNS`] with the whole config of each.
pub(crate) const RUNS_AND_CONFIGS: &str = "query Runs($project: String!, $entity: String!, $cursor: String, \
$perPage: Int = 50, $order: String, $filters: JSONString, $summaryKeys: [String!]) {
  project(name: $project, entityName: $entity) {
    runs(filters: $filters, after: $cursor, first: $perPage, order: $order) {
      edges { node { id name displayName state group jobType sweepName tags notes createdAt
        historyLineCount
        config summaryMetrics(keys: $summaryKeys) } cursor }
      pageInfo { endCursor hasNextPage } } } }";

/// One run with all but its history.
pub(crate) const RUN: &str = "query Run($project: String!, $entity: String!, $name: String!) {
  project(name: $project, entityName: $entity) { run(name: $name) {
    id name displayName sweepName state config group jobType tags createdAt heartbeatAt notes
    summaryMetrics historyLineCount historyKeys } } }";

/// [`RUN`] for servers that do not know `historyKeys`.
pub(crate) const RUN_WITHOUT_KEYS: &str = "query Run($project: String!, $entity: String!, $name: String!) {
  project(name: $project, entityName: $entity) { run(name: $name) {
    id name displayName sweepName state config group jobType tags createdAt heartbeatAt notes
    summaryMetrics historyLineCount } } }";

/// How far a run has come.
pub(crate) const RUN_STATUS: &str = "query RunPulse($project: String!, $entity: String!, $name: String!) {
  project(name: $project, entityName: $entity) { run(name: $name) { state heartbeatAt historyLineCount } } }";

/// Rows that hold all keys of a spec, for each spec.
pub(crate) const SAMPLED: &str = "query RunSampledHistory($project: String!, $entity: String!, $name: String!, \
$specs: [JSONString!]!) {
  project(name: $project, entityName: $entity) { run(name: $name) { sampledHistory(specs: $specs) } } }";

/// Minimum, mean and maximum of each bucket.
pub(crate) const BUCKETED: &str = "query BucketedHistory($entity: String!, $project: String!, $run: String!, \
$specs: [JSONString!]!) {
  project(entityName: $entity, name: $project) { run(name: $run) { bucketedHistory(specs: $specs, packVersion: 1) } } }";

/// All rows of a range of steps; `maxStep` is not part of it.
pub(crate) const PAGE: &str = "query HistoryPage($entity: String!, $project: String!, $run: String!, \
$minStep: Int64!, $maxStep: Int64!, $pageSize: Int!) {
  project(name: $project, entityName: $entity) { run(name: $run) {
    history(minStep: $minStep, maxStep: $maxStep, samples: $pageSize) } } }";

/// Signed addresses of Parquet files with the whole history.
pub(crate) const PARQUET: &str = "query RunParquetHistory($entity: String!, $project: String!, $runName: String!, \
$liveKeys: [String!]!) {
  project(name: $project, entityName: $entity) { run(name: $runName) {
    parquetHistory(liveKeys: $liveKeys) { parquetUrls liveData } } } }";

/// System metrics.
pub(crate) const EVENTS: &str = "query RunFullEvents($project: String!, $entity: String!, $name: String!, \
$samples: Int) {
  project(name: $project, entityName: $entity) { run(name: $name) { events(samples: $samples) } } }";

/// Files of a run; `pattern` is SQL's LIKE.
pub(crate) const FILES: &str = "query RunFiles($project: String!, $entity: String!, $name: String!, \
$fileCursor: String, $fileLimit: Int = 50, $fileNames: [String] = [], $pattern: String) {
  project(name: $project, entityName: $entity) { run(name: $name) { fileCount
    files(names: $fileNames, after: $fileCursor, first: $fileLimit, pattern: $pattern) {
      edges { node { id name url directUrl sizeBytes mimetype updatedAt } cursor }
      pageInfo { endCursor hasNextPage } } } } }";

/// Artifacts that a run made.
pub(crate) const ARTIFACTS: &str = "query RunOutputArtifacts($project: String!, $entity: String!, $name: String!, \
$cursor: String, $perPage: Int = 50) {
  project(name: $project, entityName: $entity) { run(name: $name) {
    outputArtifacts(after: $cursor, first: $perPage) { totalCount
      edges { node { id artifactType { name } artifactSequence { name } versionIndex state size digest fileCount
        createdAt aliases { alias } } cursor }
      pageInfo { endCursor hasNextPage } } } } }";

/// The last lines of the console.
pub(crate) const LOG_LINES: &str = "query RunLogLines($project: String!, $entity: String!, $name: String!, \
$last: Int!) {
  project(name: $project, entityName: $entity) { run(name: $name) { logLineCount
    logLines(last: $last) { edges { node { number timestamp level label line } } } } } }";
