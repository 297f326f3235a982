package devtools

import (
	"strings"

	"integration.gateway/contracts/event"
)

// rules are what becomes of the commands that have one, by method. All others
// are refused.
type rules map[string]rule

// level is what a session is attached to.
type level int

const (
	browserLevel level = iota // Chromium as a whole
	targetLevel               // a page, a frame, a worker
)

// policies are the rules by purpose and level.
var policies = map[event.Purpose][2]rules{
	event.Control: {
		browserLevel: allow(`
			Browser: getVersion
			Schema: getDomains
		`).with(targetRules, browserRules),
		targetLevel: allow(harmless).with(targetRules, browserRules, pageRules),
	},
	event.View: {
		browserLevel: allow(`
			Browser: getVersion
			Target: setDiscoverTargets
		`).with(viewRules),
		targetLevel: allow(`
			Page: startScreencast stopScreencast screencastFrameAck getNavigationHistory
		`).with(viewPageRules),
	},
}

// viewEvents are the events that a client hears whose purpose is to look.
var viewEvents = map[string]bool{
	"Target.targetCreated": true, "Target.targetInfoChanged": true, "Target.targetDestroyed": true, "Target.targetCrashed": true,
	"Target.attachedToTarget": true, "Target.detachedFromTarget": true,
	"Page.screencastFrame": true, "Page.screencastVisibilityChanged": true, "Inspector.targetCrashed": true, "Inspector.detached": true,
}

// harmless are the methods that reach no further than the target that they are
// sent to, which is the client's to do with as it likes. Left out besides what
// reaches the host, other contexts, or Chromium as a whole: what feeds the
// renderer bytes that it trusts (Page.addCompilationCache, LayerTree.loadSnapshot),
// devices, and what no client is known to use.
const harmless = `
	Accessibility: disable enable getPartialAXTree getFullAXTree getRootAXNode getAXNodeAndAncestors getChildAXNodes queryAXTree
	Animation: disable enable getCurrentTime getPlaybackRate releaseAnimations resolveAnimation seekAnimations setPaused
		setPlaybackRate setTiming
	Audits: getEncodedResponse disable enable checkFormsIssues
	Browser: getVersion
	CSS: addRule collectClassNames createStyleSheet disable enable forcePseudoState forceStartingStyle getBackgroundColors
		getComputedStyleForNode resolveValues getLonghandProperties getInlineStylesForNode getAnimatedStylesForNode
		getMatchedStylesForNode getEnvironmentVariables getMediaQueries getPlatformFontsForNode getStyleSheetText getLayersForNode
		getLocationForSelector trackComputedStyleUpdatesForNode trackComputedStyleUpdates takeComputedStyleUpdates
		setEffectivePropertyValueForNode setPropertyRulePropertyName setKeyframeKey setMediaText setContainerQueryText
		setContainerQueryConditionText setSupportsText setNavigationText setScopeText setRuleSelector setStyleSheetText
		setStyleTexts startRuleUsageTracking stopRuleUsageTracking takeCoverageDelta setLocalFontsEnabled
	CacheStorage: deleteCache deleteEntry requestCacheNames requestCachedResponse requestEntries
	Console: clearMessages disable enable
	DOM: collectClassNamesFromSubtree copyTo describeNode scrollIntoViewIfNeeded disable discardSearchResults enable focus
		getAttributes getBoxModel getContentQuads getDocument getFlattenedDocument getNodesForSubtreeByStyle getNodeForLocation
		getOuterHTML getRelayoutBoundary getSearchResults hideHighlight highlightNode highlightRect markUndoableState moveTo
		performSearch pushNodeByPathToFrontend pushNodesByBackendIdsToFrontend querySelector querySelectorAll getTopLayerElements
		getElementByRelation redo removeAttribute removeNode requestChildNodes requestNode resolveNode setAttributeValue
		setAttributesAsText setNodeStackTracesEnabled getNodeStackTraces getDetachedDomNodes setInspectedNode setNodeName
		setNodeValue setOuterHTML undo getFrameOwner getContainerForNode getQueryingDescendantsForContainer getAnchorElement
		forceShowPopover getImplicitAnchorCandidates forceShowInterest setTextMarker clearTextMarkers
	DOMDebugger: getEventListeners removeDOMBreakpoint removeEventListenerBreakpoint removeInstrumentationBreakpoint
		removeXHRBreakpoint setBreakOnCSPViolation setDOMBreakpoint setEventListenerBreakpoint setInstrumentationBreakpoint
		setXHRBreakpoint
	DOMSnapshot: disable enable getSnapshot captureSnapshot
	DOMStorage: clear disable enable getDOMStorageItems removeDOMStorageItem setDOMStorageItem
	Debugger: continueToLocation disable enable evaluateOnCallFrame getPossibleBreakpoints getScriptSource disassembleWasmModule
		nextWasmDisassemblyChunk getWasmBytecode getStackTrace pause pauseOnAsyncCall removeBreakpoint restartFrame resume
		searchInContent setAsyncCallStackDepth setBlackboxExecutionContexts setBlackboxPatterns setBlackboxedRanges setBreakpoint
		setInstrumentationBreakpoint setBreakpointByUrl setBreakpointOnFunctionCall setBreakpointsActive setPauseOnExceptions
		setReturnValue setScriptSource setSkipAllPauses setVariableValue stepInto stepOut stepOver
	DeviceOrientation: clearDeviceOrientationOverride setDeviceOrientationOverride
	Emulation: canEmulate clearDeviceMetricsOverride clearGeolocationOverride resetPageScaleFactor setFocusEmulationEnabled
		setAutoDarkModeOverride setCPUThrottlingRate setDefaultBackgroundColorOverride setSafeAreaInsetsOverride
		setVirtualKeyboardGeometryOverride setDeviceMetricsOverride setDevicePostureOverride clearDevicePostureOverride
		setDisplayFeaturesOverride clearDisplayFeaturesOverride setScrollbarsHidden setDocumentCookieDisabled
		setEmitTouchEventsForMouse setEmulatedMedia setEmulatedVisionDeficiency setEmulatedOSTextScale setGeolocationOverride
		getOverriddenSensorInformation setSensorOverrideEnabled setSensorOverrideReadings setPressureSourceOverrideEnabled
		setPressureStateOverride setIdleOverride clearIdleOverride setNavigatorOverrides setPageScaleFactor
		setScriptExecutionDisabled setTouchEmulationEnabled setVirtualTimePolicy setLocaleOverride setTimezoneOverride
		setVisibleSize setDisabledImageTypes setDataSaverOverride setHardwareConcurrencyOverride setCPUPerformanceOverride
		setUserAgentOverride setAutomationOverride setSmallViewportHeightDifferenceOverride getScreenInfos
	EventBreakpoints: setInstrumentationBreakpoint removeInstrumentationBreakpoint disable
	Fetch: disable enable failRequest fulfillRequest continueWithAuth continueResponse getResponseBody
	HeapProfiler: collectGarbage disable enable
	IndexedDB: clearObjectStore deleteDatabase deleteObjectStoreEntries disable enable requestData getMetadata requestDatabase
		requestDatabaseNames
	Input: dispatchKeyEvent insertText imeSetComposition dispatchMouseEvent dispatchTouchEvent cancelDragging
		emulateTouchFromMouseEvent setIgnoreInputEvents setInterceptDrags synthesizePinchGesture synthesizeScrollGesture
		synthesizeTapGesture
	Inspector: disable enable
	Log: clear disable enable startViolationsReport stopViolationsReport
	Media: enable disable
	Network: canClearBrowserCache canClearBrowserCookies canEmulateNetworkConditions clearBrowserCache clearBrowserCookies
		deleteCookies disable emulateNetworkConditions emulateNetworkConditionsByRule overrideNetworkState enable
		configureDurableMessages getAllCookies getCertificate getCookies getResponseBody getRequestPostData replayXHR
		searchInResponseBody setBlockedURLs setBypassServiceWorker setCacheDisabled setCookie setCookies setExtraHTTPHeaders
		setAttachDebugStack setUserAgentOverride streamResourceContent getSecurityIsolationStatus enableReportingApi
		setCookieControls
	Overlay: disable enable getHighlightObjectForTest getGridHighlightObjectsForTest getSourceOrderHighlightObjectForTest
		hideHighlight highlightFrame highlightNode highlightQuad highlightRect highlightSourceOrder setInspectMode
		setShowAdHighlights setPausedInDebuggerMessage setShowDebugBorders setShowFPSCounter setShowGridOverlays
		setShowFlexOverlays setShowScrollSnapOverlays setShowContainerQueryOverlays setShowInspectedElementAnchor setShowPaintRects
		setShowLayoutShiftRegions setShowScrollBottleneckRects setShowHitTestBorders setShowWebVitals setShowViewportSizeOnResize
		setShowHinge setShowDisplayCutout setShowIsolatedElements setShowWindowControlsOverlay
	Page: addScriptToEvaluateOnLoad addScriptToEvaluateOnNewDocument bringToFront captureScreenshot captureSnapshot
		clearDeviceMetricsOverride clearDeviceOrientationOverride clearGeolocationOverride createIsolatedWorld deleteCookie
		disable enable getAppManifest getInstallabilityErrors getAppId getFrameTree getLayoutMetrics getNavigationHistory
		resetNavigationHistory getResourceContent getResourceTree handleJavaScriptDialog navigateToHistoryEntry reload
		removeScriptToEvaluateOnLoad removeScriptToEvaluateOnNewDocument screencastFrameAck searchInResource setAdBlockingEnabled
		setBypassCSP getPermissionsPolicyState getOriginTrials setDeviceMetricsOverride setDeviceOrientationOverride
		setFontFamilies setFontSizes setDocumentContent setGeolocationOverride setLifecycleEventsEnabled setTouchEmulationEnabled
		startScreencast stopLoading close setWebLifecycleState stopScreencast waitForDebugger setInterceptFileChooserDialog
		setPrerenderingAllowed
	Performance: disable enable setTimeDomain getMetrics
	PerformanceTimeline: enable
	Preload: enable disable
	Profiler: disable enable getBestEffortCoverage setSamplingInterval start startPreciseCoverage stop stopPreciseCoverage
		takePreciseCoverage
	Runtime: awaitPromise callFunctionOn compileScript disable discardConsoleEntries enable evaluate getIsolateId getHeapUsage
		getProperties globalLexicalScopeNames queryObjects releaseObject releaseObjectGroup runIfWaitingForDebugger runScript
		setAsyncCallStackDepth setCustomObjectFormatterEnabled setMaxCallStackSizeToCapture terminateExecution addBinding
		removeBinding getExceptionDetails
	Schema: getDomains
	Security: disable enable
	ServiceWorker: deliverPushMessage disable dispatchSyncEvent dispatchPeriodicSyncEvent enable setForceUpdateOnPageLoad
		skipWaiting startWorker stopAllWorkers stopWorker unregister updateRegistration
	Storage: getStorageKeyForFrame getStorageKey clearDataForOrigin clearDataForStorageKey getUsageAndQuota overrideQuotaForOrigin
		trackCacheStorageForOrigin trackCacheStorageForStorageKey trackIndexedDBForOrigin trackIndexedDBForStorageKey
		untrackCacheStorageForOrigin untrackCacheStorageForStorageKey untrackIndexedDBForOrigin untrackIndexedDBForStorageKey
	WebAudio: enable disable getRealtimeData
	WebAuthn: enable disable addVirtualAuthenticator setResponseOverrideBits removeVirtualAuthenticator addCredential
		getCredential getCredentials removeCredential clearCredentials setUserVerified setAutomaticPresenceSimulation
		setCredentialProperties
`

// allow reads a table of "Domain: method …"; a line without a domain goes on
// with the last one's.
func allow(table string) rules {
	allowed := rules{}
	domain := ""
	for line := range strings.Lines(table) {
		if named, rest, is := strings.Cut(line, ":"); is {
			domain, line = strings.TrimSpace(named), rest
		}
		for method := range strings.FieldsSeq(line) {
			allowed[domain+"."+method] = rule{word: "allowed", judge: pass}
		}
	}
	return allowed
}

// with adds rules, which count more.
func (r rules) with(others ...rules) rules {
	for _, other := range others {
		for method, rule := range other {
			r[method] = rule
		}
	}
	return r
}
